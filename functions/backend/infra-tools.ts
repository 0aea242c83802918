import * as z from 'zod'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { examples, info, links, server, setup, tools } from '#shared/tools/infra-tools/render.ts'
import {
  checkedConfig,
  configToCheck,
  gatewayHealth,
  serverInfo,
  setupGuide,
  toolList,
  workedExamples,
} from '#shared/tools/infra-tools/schema.ts'
import { validateConfig } from '#shared/tools/infra-tools/validate-config.ts'

const route = routesWith<object>()

const path = '/api/infra-mcp'

/** The properties that all these routes share. */
const common = {
  method: 'GET',
  tag: 'infrastructure tools',
  guard: 'internal',
  errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests'],
} as const

export const routes = [
  route({
    ...common,
    name: 'infraTools.health',
    path: `${path}/health`,
    summary: 'Get the health of the gateway',
    response: gatewayHealth,
    handle: () => ({
      ...server,
      status: 'operational' as const,
      official_repo: links.repository,
      docker_image: links.dockerImage,
      documentation: links.documentation,
      timestamp: new Date().toISOString(),
    }),
  }),

  route({
    ...common,
    name: 'infraTools.info',
    path: `${path}/info`,
    summary: 'Describe the MCP server',
    response: serverInfo,
    handle: () => info,
  }),

  route({
    ...common,
    name: 'infraTools.setup',
    path: `${path}/setup`,
    summary: 'Get setup instructions for the MCP server',
    response: setupGuide,
    handle: () => setup,
  }),

  route({
    ...common,
    name: 'infraTools.tools',
    path: `${path}/tools`,
    summary: 'List tools of the MCP server',
    response: toolList,
    handle: () => tools,
  }),

  route({
    ...common,
    name: 'infraTools.examples',
    path: `${path}/examples`,
    summary: 'List example prompts for the MCP server',
    response: workedExamples,
    handle: () => examples,
  }),

  route({
    ...common,
    name: 'infraTools.validateConfig',
    method: 'POST',
    path: `${path}/validate-config`,
    summary: 'Validate a client configuration',
    description: 'A 400 response lists all errors.',
    body: configToCheck,
    response: checkedConfig,
    notAudited: 'stores nothing',
    handle: (_, { body }) => {
      const answer = validateConfig(body)
      return answer.valid ? answer : Response.json(answer, { status: 400 })
    },
  }),

  leadingTo('docs', 'Redirect to the documentation of the MCP server', links.documentation),
  leadingTo('github', 'Redirect to the repository of the MCP server', links.repository),
]

function leadingTo(page: 'docs' | 'github', summary: string, location: string) {
  return route({
    ...common,
    name: `infraTools.${page}`,
    path: `${path}/${page}`,
    summary,
    status: 301,
    response: z.null(),
    handle: () => new Response(null, { status: 301, headers: { location } }),
  })
}

/** The data is in the bundle. The table only counts requests. */
export function wire(config: ConfigOf<'backend-infra-tools'>): Wiring<object> {
  return { services: {}, table: openTable(config) }
}

import type { Wiring } from '../../shared/http/wiring.ts'
import { routesWith } from '../../shared/http/route.ts'
import * as z from 'zod'
import { examples, info, links, server, setup, tools } from '../../shared/infra-tools/render.ts'
import {
  checkedConfig,
  configToCheck,
  gatewayHealth,
  serverInfo,
  setupGuide,
  toolList,
  workedExamples,
} from '../../shared/infra-tools/schema.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { validateConfig } from '../../shared/infra-tools/validate-config.ts'

const route = routesWith<object>()

const path = '/api/infra-mcp'

/** What is the same of the routes that tell something. */
const telling = {
  method: 'GET',
  tag: 'infrastructure tools',
  guard: 'internal',
  errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests'],
} as const

export const routes = [
  route({
    ...telling,
    name: 'infraTools.health',
    path: `${path}/health`,
    summary: 'Whether this gateway works, and which MCP server it describes',
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
    ...telling,
    name: 'infraTools.info',
    path: `${path}/info`,
    summary: 'What the MCP server is, who maintains it and what it can do',
    response: serverInfo,
    handle: () => info,
  }),

  route({
    ...telling,
    name: 'infraTools.setup',
    path: `${path}/setup`,
    summary: 'How to connect a client to the MCP server',
    response: setupGuide,
    handle: () => setup,
  }),

  route({
    ...telling,
    name: 'infraTools.tools',
    path: `${path}/tools`,
    summary: 'The MCP server’s tools by category',
    response: toolList,
    handle: () => tools,
  }),

  route({
    ...telling,
    name: 'infraTools.examples',
    path: `${path}/examples`,
    summary: 'What to ask a client for that is connected to the MCP server',
    response: workedExamples,
    handle: () => examples,
  }),

  route({
    ...telling,
    name: 'infraTools.validateConfig',
    method: 'POST',
    path: `${path}/validate-config`,
    summary: 'Whether a configuration has the right form; 400 tells all its faults',
    body: configToCheck,
    response: checkedConfig,
    notAudited: 'keeps nothing',
    handle: (_, { body }) => {
      const answer = validateConfig(body)
      return answer.valid ? answer : Response.json(answer, { status: 400 })
    },
  }),

  leadingTo('docs', 'Leads to the MCP server’s documentation', links.documentation),
  leadingTo('github', 'Leads to the MCP server’s repository', links.repository),
]

function leadingTo(page: 'docs' | 'github', summary: string, location: string) {
  return route({
    ...telling,
    name: `infraTools.${page}`,
    path: `${path}/${page}`,
    summary,
    status: 301,
    response: z.null(),
    handle: () => new Response(null, { status: 301, headers: { location } }),
  })
}

/** What it tells is in its bundle; its requests are counted in the table. */
export function wire(config: ConfigOf<'backend-infra-tools'>): Wiring<object> {
  return { services: {}, table: openTable(config) }
}

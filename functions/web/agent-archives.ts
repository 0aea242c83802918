import * as z from 'zod'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { agentParams, webAgentAnswers } from '#shared/agents/record/schema.ts'
import { webView } from '#shared/agents/record/views.ts'
import { archiveBounds } from '#shared/conversations/agent-archives/bounds.ts'
import { duplicateAgent } from '#shared/conversations/agent-archives/duplicate.ts'
import { exportAgent } from '#shared/conversations/agent-archives/export.ts'
import { importAgent } from '#shared/conversations/agent-archives/import.ts'
import { duplicateRequest } from '#shared/conversations/agent-archives/schema.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Can, Reads } from '#shared/platform/identity/capabilities.ts'
import { s3WholeObjects } from '#shared/platform/objects/whole.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { userGroup } from '../common/user-group.ts'
import { agentsLimit } from './agents/limit.ts'

export type Services = AgentContext<'provisioning'> & Reads<AgentSetting> & Can<'objects'>

const route = routesWith<Services>({ limits: [agentsLimit] })

const zip = 'application/zip'
/** Windows and some programs send other types for ZIP files. */
const zipTypes = /^application\/(?:zip|x-zip|x-zip-compressed|octet-stream)\s*(?:;|$)/i

export const routes = [
  route({
    name: 'agents.export',
    method: 'GET',
    path: '/api/agents/:id/export',
    summary: 'Export an agent',
    description: 'Returns a ZIP of readable files, without secrets.',
    tag: 'agents',
    guard: 'session',
    params: agentParams,
    rawResponse: zip,
    response: z.string(),
    errors: ['unauthorized', 'not-found', 'payload-too-large', 'too-many-requests'],
    handle: async (ctx, { params }) => {
      const { zip: body, fileName } = await exportAgent(ctx, { agentId: params.id })
      const headers = {
        'content-type': zip,
        'content-disposition': `attachment; filename="${fileName}"`,
      }
      return new Response(body, { headers })
    },
  }),

  route({
    name: 'agents.import',
    method: 'POST',
    path: '/api/agents/import',
    summary: 'Import an agent',
    description: 'Creates an agent from an exported ZIP and starts it.',
    tag: 'agents',
    guard: 'session',
    rawBody: zip,
    maxBodyBytes: archiveBounds.packedBytes,
    status: 201,
    response: webAgentAnswers.provisioned,
    errors: [
      'bad-request',
      'unauthorized',
      'payment-required',
      'conflict',
      'payload-too-large',
      'too-many-requests',
      'unavailable',
    ],
    codes: [
      'IMPORT_LIMIT_REACHED',
      'MEMORY_FULL',
      'PROVISIONING_DISABLED',
      'SUBSCRIPTION_REQUIRED',
      'TASK_LIMIT_REACHED',
    ],
    notAudited: 'creates an agent within the paid plan',
    idempotent: true,
    handle: async (ctx) => {
      const type = ctx.request.headers.get('content-type') ?? ''
      if (!zipTypes.test(type))
        throw new PlatformError('bad-request', `Content-Type must be ${zip}`)
      const body = new Uint8Array(await ctx.request.arrayBuffer())
      const agent = await importAgent(ctx, { zip: body })
      return { success: true as const, agent: webView(agent, ctx) }
    },
  }),

  route({
    name: 'agents.duplicate',
    method: 'POST',
    path: '/api/agents/:id/duplicate',
    summary: 'Duplicate an agent',
    description: 'Creates an agent with the same config, memory and skills, and starts it.',
    tag: 'agents',
    guard: 'session',
    params: agentParams,
    body: duplicateRequest,
    status: 201,
    response: webAgentAnswers.provisioned,
    errors: [
      'bad-request',
      'unauthorized',
      'payment-required',
      'not-found',
      'too-many-requests',
      'unavailable',
    ],
    codes: ['IMPORT_LIMIT_REACHED', 'PROVISIONING_DISABLED', 'SUBSCRIPTION_REQUIRED'],
    notAudited: 'creates an agent within the paid plan',
    idempotent: true,
    handle: async (ctx, { params, body }) => {
      const agent = await duplicateAgent(ctx, { agentId: params.id, name: body.name })
      return { success: true as const, agent: webView(agent, ctx) }
    },
  }),
]

export function wire(config: ConfigOf<'web-agent-archives'>): Wiring<Services> {
  const queuesFor = openQueues(config)
  const objects = s3WholeObjects(config)
  return userGroup<Services>(config, (table) => (origin) => ({
    table,
    queues: queuesFor(origin),
    config,
    objects,
  }))
}

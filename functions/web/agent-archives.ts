import * as z from 'zod'
import { syncAll, type SyncContext } from '#shared/agents/files/container/sync.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { agentParams, webAgentAnswers } from '#shared/agents/record/schema.ts'
import { webView } from '#shared/agents/record/views.ts'
import { archiveBounds } from '#shared/conversations/agent-archives/bounds.ts'
import { duplicateAgent } from '#shared/conversations/agent-archives/duplicate.ts'
import { exportAgent } from '#shared/conversations/agent-archives/export.ts'
import { getExport } from '#shared/conversations/agent-archives/exports/request.ts'
import { importAgent, importUploaded } from '#shared/conversations/agent-archives/import.ts'
import { createImport } from '#shared/conversations/agent-archives/imports/create.ts'
import {
  duplicateRequest,
  exportView,
  importLink,
  newImport,
  uploadedImport,
} from '#shared/conversations/agent-archives/schema.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Can, Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { s3Links, s3UploadLinks } from '#shared/platform/objects/links.ts'
import { s3PartialObjects } from '#shared/platform/objects/partial.ts'
import { s3WholeObjects } from '#shared/platform/objects/whole.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { parseInput } from '#shared/platform/validation.ts'
import { userGroup } from '../common/user-group.ts'
import { agentsLimit } from './agents/limit.ts'

export type Services = AgentContext<'agent-exports' | 'provisioning' | 'restore-points'> &
  Reads<AgentSetting> &
  Can<'encryptionKey' | 'links' | 'objects' | 'packs' | 'uploadLinks'>

const route = routesWith<Services>({ limits: [agentsLimit] })

const zip = 'application/zip'
/** Windows and some programs send other types for ZIP files. */
const zipTypes = /^application\/(?:zip|x-zip|x-zip-compressed|octet-stream)\s*(?:;|$)/i

const jsonType = /^application\/json\s*(?:;|$)/i

/** Lets a running agent's container commit its files first. */
function syncing<Ctx extends SyncContext & Pick<Context, 'table'>>(ctx: Ctx) {
  return { ...ctx, syncFiles: (agent: Agent) => syncAll(ctx, agent) }
}

/** Returns the id in the JSON body of an import. @throws PlatformError 400 */
async function uploadedIn(request: Request) {
  const json: unknown = await request.json().catch(() => undefined)
  return parseInput(uploadedImport, json)
}

export const routes = [
  route({
    name: 'agents.export',
    method: 'GET',
    path: '/api/agents/:id/export',
    summary: 'Export an agent',
    description:
      'Returns a ZIP of readable files, without secrets. An archive of more than 4 MB is 202 with `exportId`.',
    tag: 'agents',
    guard: 'session',
    params: agentParams,
    rawResponse: zip,
    response: z.string(),
    errors: ['unauthorized', 'not-found', 'conflict', 'payload-too-large', 'too-many-requests'],
    codes: ['ARCHIVE_LIMIT_REACHED'],
    handle: async (ctx, { params }) => {
      const exported = await exportAgent(syncing(ctx), { agentId: params.id })
      if ('exportId' in exported) return Response.json(exported, { status: 202 })
      const { zip: body, fileName } = exported
      const headers = {
        'content-type': zip,
        'content-disposition': `attachment; filename="${fileName}"`,
      }
      return new Response(body, { headers })
    },
  }),

  route({
    name: 'agents.exports.get',
    method: 'GET',
    path: '/api/agents/:id/exports/:exportId',
    summary: 'Get an export of an agent that was too large for a response',
    tag: 'agents',
    guard: 'session',
    params: z.object({ ...agentParams.shape, exportId: z.string() }),
    response: exportView,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    handle: (ctx, { params }) => getExport(ctx, { agentId: params.id, exportId: params.exportId }),
  }),

  route({
    name: 'agents.imports.create',
    method: 'POST',
    path: '/api/agents/imports',
    summary: 'Create a link to upload an archive of more than 4 MB',
    description:
      'The link is valid for 15 minutes. Then send `{"importId": …}` to `POST /api/agents/import`.',
    tag: 'agents',
    guard: 'session',
    body: newImport,
    response: importLink,
    errors: [
      'bad-request',
      'unauthorized',
      'payment-required',
      'conflict',
      'too-many-requests',
      'unavailable',
    ],
    codes: ['ARCHIVE_LIMIT_REACHED', 'PROVISIONING_DISABLED', 'SUBSCRIPTION_REQUIRED'],
    notAudited: 'stores an archive; changes no account, access or money',
    handle: (ctx, { body }) => createImport(ctx, body),
  }),

  route({
    name: 'agents.import',
    method: 'POST',
    path: '/api/agents/import',
    summary: 'Import an agent',
    description:
      'Creates an agent from an exported ZIP and starts it. A JSON body `{"importId": …}` imports an uploaded archive.',
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
      'not-found',
      'conflict',
      'payload-too-large',
      'too-many-requests',
      'unavailable',
    ],
    codes: [
      'IMPORT_LIMIT_REACHED',
      'MEMORY_FULL',
      'PROVISIONING_DISABLED',
      'STORAGE_LIMIT_REACHED',
      'SUBSCRIPTION_REQUIRED',
      'TASK_LIMIT_REACHED',
    ],
    notAudited: 'creates an agent within the paid plan',
    idempotent: true,
    handle: async (ctx) => {
      const type = ctx.request.headers.get('content-type') ?? ''
      if (jsonType.test(type)) {
        const { importId } = await uploadedIn(ctx.request)
        const agent = await importUploaded(ctx, { importId })
        return { success: true as const, agent: webView(agent, ctx) }
      }
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
    description: 'Creates an agent with the same config, memory, skills and files, and starts it.',
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
    codes: [
      'IMPORT_LIMIT_REACHED',
      'PROVISIONING_DISABLED',
      'STORAGE_LIMIT_REACHED',
      'SUBSCRIPTION_REQUIRED',
    ],
    notAudited: 'creates an agent within the paid plan',
    idempotent: true,
    handle: async (ctx, { params, body }) => {
      const agent = await duplicateAgent(syncing(ctx), { agentId: params.id, name: body.name })
      return { success: true as const, agent: webView(agent, ctx) }
    },
  }),
]

export function wire(config: ConfigOf<'web-agent-archives'>): Wiring<Services> {
  const queuesFor = openQueues(config)
  const objects = s3WholeObjects(config)
  const stores = {
    packs: s3PartialObjects(config),
    links: s3Links(config),
    uploadLinks: s3UploadLinks(config),
  }
  return userGroup<Services>(config, (table) => (origin) => ({
    table,
    queues: queuesFor(origin),
    config,
    encryptionKey: config.WALLET_ENCRYPTION_KEY,
    objects,
    ...stores,
  }))
}

import * as z from 'zod'
import { addPacks } from '#shared/agents/files/container/add-packs.ts'
import { commitFiles } from '#shared/agents/files/container/commit.ts'
import { describeFile } from '#shared/agents/files/container/describe.ts'
import { linkPacks } from '#shared/agents/files/container/links.ts'
import { openFiles } from '#shared/agents/files/container/open.ts'
import * as schemas from '#shared/agents/files/container/schema.ts'
import { containerKeyIdentity } from '#shared/agents/record/ai-key.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { filesServices, type FilesServices } from '../common/files-services.ts'

/** Per agent. */
const route = routesWith<FilesServices>({ limits: [{ scope: 'agent-files', perMinute: 600 }] })

const notAudited = 'a container stores its agent’s files'
const errors = [
  'bad-request',
  'unauthorized',
  'not-found',
  'conflict',
  'payload-too-large',
  'too-many-requests',
  'unavailable',
] as const

/**
 * The routes of an agent's container. The lists and files themselves are sent and received by links:
 * docs/design/decisions/0034.
 */
export const routes = [
  route({
    name: 'agentFiles.open',
    method: 'POST',
    path: '/api/agent-files/open',
    summary: 'Open the files of the calling agent',
    description: 'Called by the agent’s container at its start, and to get the newest version.',
    tag: 'agents',
    guard: 'agent',
    body: z.lazy(schemas.filesOpening),
    response: z.lazy(schemas.openedFiles),
    errors,
    codes: ['FILES_HELD'],
    notAudited,
    handle: (ctx, { body }) => openFiles(ctx, body),
  }),

  route({
    name: 'agentFiles.links',
    method: 'POST',
    path: '/api/agent-files/links',
    summary: 'Create links to read packs of files',
    description: 'The links are valid for 15 minutes.',
    tag: 'agents',
    guard: 'agent',
    body: z.lazy(schemas.packReading),
    response: z.lazy(schemas.packLinks),
    errors,
    codes: ['FILES_HELD'],
    notAudited,
    handle: (ctx, { body }) => linkPacks(ctx, body),
  }),

  route({
    name: 'agentFiles.packs',
    method: 'POST',
    path: '/api/agent-files/packs',
    summary: 'Create links to store packs of files',
    description: 'The links are valid for 15 minutes. A pack must be committed within an hour.',
    tag: 'agents',
    guard: 'agent',
    body: z.lazy(schemas.packWriting),
    response: z.lazy(schemas.newPacks),
    errors: [...errors, 'payment-required'],
    codes: ['FILES_HELD', 'STORAGE_LIMIT_REACHED'],
    notAudited,
    handle: (ctx, { body }) => addPacks(ctx, body),
  }),

  route({
    name: 'agentFiles.commit',
    method: 'POST',
    path: '/api/agent-files/commit',
    summary: 'Commit the files of the calling agent',
    description: 'Refused if the files have another version than `base`.',
    tag: 'agents',
    guard: 'agent',
    body: z.lazy(schemas.filesCommit),
    response: z.lazy(schemas.committedFiles),
    errors,
    codes: ['FILES_CHANGED', 'FILES_HELD', 'FILE_LIMIT_REACHED'],
    notAudited,
    handle: (ctx, { body }) => commitFiles(ctx, body),
  }),

  route({
    name: 'agentFiles.describe',
    method: 'POST',
    path: '/api/agent-files/describe',
    summary: 'Describe a file of the calling agent',
    description: 'As it was last committed, of at most 20 MB.',
    tag: 'agents',
    guard: 'agent',
    body: z.lazy(schemas.fileDescribing),
    response: z.lazy(schemas.describedFile),
    errors: ['bad-request', 'unauthorized', 'not-found', 'payload-too-large', 'too-many-requests'],
    notAudited,
    handle: (ctx, { body }) => describeFile(ctx, body),
  }),
]

export function wire(config: ConfigOf<'backend-files'>): Wiring<FilesServices> {
  const table = openTable(config)
  const services = filesServices(config)
  return {
    services: (origin) => services(table, origin),
    identity: { agentKey: containerKeyIdentity(table, config.WALLET_ENCRYPTION_KEY) },
    table,
  }
}

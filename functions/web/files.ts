import * as z from 'zod'
import { deleteFile } from '#shared/agents/files/delete.ts'
import { etagOf } from '#shared/agents/files/etag.ts'
import { getStorage } from '#shared/agents/files/get-storage.ts'
import { listFiles } from '#shared/agents/files/list.ts'
import { moveFile } from '#shared/agents/files/move.ts'
import { putFile } from '#shared/agents/files/put.ts'
import { directBytes, readFile } from '#shared/agents/files/read.ts'
import {
  deletedFile,
  deleteQuery,
  fileList,
  fileMove,
  fileQuery,
  listQuery,
  movedFile,
  newUpload,
  storageView,
  uploadLink,
  writtenFile,
} from '#shared/agents/files/schema.ts'
import { createUpload } from '#shared/agents/files/uploads/create.ts'
import { agentParams } from '#shared/agents/record/schema.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { filesServices, type FilesServices } from '../common/files-services.ts'
import { userGroup } from '../common/user-group.ts'
import { agentsLimit } from './agents/limit.ts'
import { conditionHeaders, conditionsOf, fileResponse } from './files/content.ts'

const route = routesWith<FilesServices>({ limits: [agentsLimit] })

const bytes = 'application/octet-stream'
const notAudited = 'changes an agent’s files, not money or access'
const contentPath = '/api/agents/:id/files/content'

export const routes = [
  route({
    name: 'agents.files.list',
    method: 'GET',
    path: '/api/agents/:id/files',
    summary: 'List a folder of an agent’s files',
    description: 'Sorted by name.',
    tag: 'files',
    guard: 'session',
    params: agentParams,
    query: listQuery,
    response: fileList,
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests', 'unavailable'],
    handle: (ctx, { params, query }) => listFiles(ctx, { agentId: params.id, ...query }),
  }),

  route({
    name: 'agents.files.get',
    method: 'GET',
    path: contentPath,
    summary: 'Read a file of an agent',
    description: 'A file of more than 4 MiB is a 307 to a signed link, with the same Range.',
    tag: 'files',
    guard: 'session',
    params: agentParams,
    query: fileQuery,
    headers: {
      'if-match': 'Refuses the request with 412 unless the file has this ETag',
      'if-none-match': 'Answers 304 if the file has this ETag',
      range: 'The part to read: `bytes=0-99`',
    },
    rawResponse: bytes,
    response: z.string(),
    errors: [
      'bad-request',
      'unauthorized',
      'not-found',
      'precondition-failed',
      'range-not-satisfiable',
      'too-many-requests',
      'unavailable',
    ],
    handle: async (ctx, { params, query }) =>
      fileResponse(ctx.request, await readFile(ctx, { agentId: params.id, path: query.path })),
  }),

  route({
    name: 'agents.files.put',
    method: 'PUT',
    path: contentPath,
    summary: 'Write a file of an agent',
    description: 'Creates the folders above it. Use an upload link for more than 4 MiB.',
    tag: 'files',
    guard: 'session',
    params: agentParams,
    query: fileQuery,
    headers: conditionHeaders,
    rawBody: bytes,
    maxBodyBytes: directBytes,
    response: writtenFile,
    errors: [
      'bad-request',
      'unauthorized',
      'payment-required',
      'not-found',
      'conflict',
      'precondition-failed',
      'payload-too-large',
      'too-many-requests',
      'unavailable',
    ],
    codes: ['FILE_LIMIT_REACHED', 'STORAGE_LIMIT_REACHED'],
    notAudited,
    handle: async (ctx, { params, query }) => {
      const content = new Uint8Array(await ctx.request.arrayBuffer())
      const { tag, ...file } = await putFile(ctx, {
        agentId: params.id,
        path: query.path,
        content,
        conditions: conditionsOf(ctx.request),
      })
      return Response.json(file, { headers: { etag: etagOf(tag) } })
    },
  }),

  route({
    name: 'agents.files.delete',
    method: 'DELETE',
    path: contentPath,
    summary: 'Delete a file or folder of an agent',
    tag: 'files',
    guard: 'session',
    params: agentParams,
    query: deleteQuery,
    headers: conditionHeaders,
    response: deletedFile,
    errors: [
      'bad-request',
      'unauthorized',
      'not-found',
      'conflict',
      'precondition-failed',
      'too-many-requests',
      'unavailable',
    ],
    notAudited,
    handle: async (ctx, { params, query: { path, recursive } }) => {
      await deleteFile(ctx, {
        agentId: params.id,
        path,
        recursive: recursive === 'true',
        conditions: conditionsOf(ctx.request),
      })
      return { path, deleted: true as const }
    },
  }),

  route({
    name: 'agents.files.move',
    method: 'POST',
    path: '/api/agents/:id/files/move',
    summary: 'Move a file or folder of an agent',
    description: 'Creates the folders above `to`.',
    tag: 'files',
    guard: 'session',
    params: agentParams,
    body: fileMove,
    response: movedFile,
    errors: [
      'bad-request',
      'unauthorized',
      'not-found',
      'conflict',
      'too-many-requests',
      'unavailable',
    ],
    notAudited,
    handle: async (ctx, { params, body: { from, to, overwrite } }) => {
      await moveFile(ctx, { agentId: params.id, from, to, overwrite })
      return { from, to }
    },
  }),

  route({
    name: 'agents.files.upload',
    method: 'POST',
    path: '/api/agents/:id/files/uploads',
    summary: 'Create a link to upload a file of an agent',
    description: 'The link is valid for 15 minutes. The file is listed within 10 s of the upload.',
    tag: 'files',
    guard: 'session',
    params: agentParams,
    body: newUpload,
    response: uploadLink,
    errors: [
      'bad-request',
      'unauthorized',
      'payment-required',
      'not-found',
      'conflict',
      'too-many-requests',
      'unavailable',
    ],
    codes: ['STORAGE_LIMIT_REACHED'],
    notAudited,
    handle: (ctx, { params, body }) => createUpload(ctx, { agentId: params.id, ...body }),
  }),

  route({
    name: 'storage.get',
    method: 'GET',
    path: '/api/storage',
    summary: 'Get the use of storage by agents’ files',
    tag: 'files',
    guard: 'session',
    response: storageView,
    errors: ['unauthorized', 'too-many-requests'],
    handle: (ctx) => getStorage(ctx),
  }),
]

export function wire(config: ConfigOf<'web-files'>): Wiring<FilesServices> {
  const services = filesServices(config)
  return userGroup<FilesServices>(config, (table) => (origin) => services(table, origin))
}

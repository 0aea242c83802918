import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { Explored } from '#shared/tools/explorer/context.ts'
import { readText } from '#shared/tools/explorer/files/read.ts'
import {
  readAnswer,
  readQuery,
  treeAnswer,
  treeQuery,
  writeAnswer,
  writeRequest,
} from '#shared/tools/explorer/files/schema.ts'
import { showTree } from '#shared/tools/explorer/files/tree.ts'
import { writeText } from '#shared/tools/explorer/files/write.ts'
import { gitDiff } from '#shared/tools/explorer/git/diff.ts'
import { gitLog } from '#shared/tools/explorer/git/log.ts'
import type { PushSettings } from '#shared/tools/explorer/git/push.ts'
import {
  gitDiffAnswer,
  gitDiffQuery,
  gitLogAnswer,
  gitLogQuery,
  gitStatusAnswer,
  gitSyncAnswer,
  gitSyncRequest,
} from '#shared/tools/explorer/git/schema.ts'
import { gitStatus } from '#shared/tools/explorer/git/status.ts'
import { gitSync } from '#shared/tools/explorer/git/sync.ts'

export type Services = Pick<Context, 'table'> & Explored & { login: PushSettings['login'] }

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'explorer.tree',
    method: 'GET',
    path: '/api/browse/tree',
    summary: 'List files and folders of the workspace',
    description: 'Folders first, down to `depth`.',
    tag: 'explorer',
    guard: 'internal',
    query: treeQuery,
    response: treeAnswer,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'unavailable'],
    handle: (ctx, { query }) => showTree(ctx, query),
  }),

  route({
    name: 'explorer.read',
    method: 'GET',
    path: '/api/browse/read',
    summary: 'Read a text file of the workspace',
    description: 'At most 1 MB.',
    tag: 'explorer',
    guard: 'internal',
    query: readQuery,
    response: readAnswer,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'unavailable'],
    handle: (ctx, { query }) => readText(ctx, query),
  }),

  route({
    name: 'explorer.write',
    method: 'POST',
    path: '/api/browse/write',
    summary: 'Write a text file of the workspace',
    description: 'Replaces the whole file. Creates missing folders.',
    tag: 'explorer',
    guard: 'internal',
    body: writeRequest,
    response: writeAnswer,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'unavailable'],
    notAudited: 'changes a file of the workspace, not accounts, access or money',
    handle: (ctx, { body }) => writeText(ctx, body),
  }),

  route({
    name: 'explorer.git.status',
    method: 'GET',
    path: '/api/browse/git-status',
    summary: 'Get the Git status of the workspace',
    description: 'Branch, remote and changes.',
    tag: 'explorer',
    guard: 'internal',
    response: gitStatusAnswer,
    errors: ['unauthorized', 'forbidden', 'internal', 'unavailable'],
    handle: (ctx) => gitStatus(ctx),
  }),

  route({
    name: 'explorer.git.diff',
    method: 'GET',
    path: '/api/browse/git-diff',
    summary: 'Get the Git diff of the workspace',
    description: 'Staged and unstaged changes as unified diffs, optionally of one path.',
    tag: 'explorer',
    guard: 'internal',
    query: gitDiffQuery,
    response: gitDiffAnswer,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'internal', 'unavailable'],
    handle: (ctx, { query }) => gitDiff(ctx, query),
  }),

  route({
    name: 'explorer.git.sync',
    method: 'POST',
    path: '/api/browse/git-sync',
    summary: 'Commit and push the workspace',
    tag: 'explorer',
    guard: 'internal',
    body: gitSyncRequest,
    bodyOptional: true,
    response: gitSyncAnswer,
    errors: [
      'bad-request',
      'unauthorized',
      'forbidden',
      'conflict',
      'too-many-requests',
      'internal',
      'unavailable',
    ],
    notAudited: 'commits the workspace, not accounts, access or money',
    handle: (ctx, { body: { message = 'sync changes' } }) => gitSync(ctx, { message }),
  }),

  route({
    name: 'explorer.git.log',
    method: 'GET',
    path: '/api/browse/git-log',
    summary: 'List commits of the workspace',
    description: 'Newest first.',
    tag: 'explorer',
    guard: 'internal',
    query: gitLogQuery,
    response: gitLogAnswer,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'internal', 'unavailable'],
    handle: (ctx, { query }) => gitLog(ctx, query),
  }),
]

export function wire(config: ConfigOf<'backend-explorer'>): Wiring<Services> {
  const table = openTable(config)
  const { GIT_TOKEN: password, GIT_TOKEN_HOSTS: hosts, GIT_USERNAME: username } = config
  const login = password === undefined ? undefined : { username, password, hosts }
  return {
    services: { table, root: config.WORKSPACE_ROOT, deployed: config.deployed, login },
    table,
  }
}

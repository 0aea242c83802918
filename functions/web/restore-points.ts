import { syncAll } from '#shared/agents/files/container/sync.ts'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { agentParams } from '#shared/agents/record/schema.ts'
import { createSnapshot } from '#shared/conversations/restore-points/create.ts'
import { listSnapshots } from '#shared/conversations/restore-points/list.ts'
import { requestRestore } from '#shared/conversations/restore-points/request.ts'
import {
  newSnapshot,
  restoreAccepted,
  restoreRequest,
  snapshotList,
  snapshotView,
} from '#shared/conversations/restore-points/schema.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Can, Reads } from '#shared/platform/identity/capabilities.ts'
import { s3WholeObjects } from '#shared/platform/objects/whole.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { userGroup } from '../common/user-group.ts'
import { agentsLimit } from './agents/limit.ts'

export type Services = AgentContext<'restore-points'> &
  Reads<AgentSetting> &
  Can<'encryptionKey' | 'objects'>

const route = routesWith<Services>({ limits: [agentsLimit] })

export const routes = [
  route({
    name: 'agents.snapshots.create',
    method: 'POST',
    path: '/api/agents/:id/snapshots',
    summary: 'Create a restore point of an agent',
    tag: 'restore points',
    guard: 'session',
    params: agentParams,
    body: newSnapshot,
    bodyOptional: true,
    status: 201,
    response: snapshotView,
    errors: [
      'bad-request',
      'unauthorized',
      'not-found',
      'conflict',
      'too-many-requests',
      'unavailable',
    ],
    codes: ['SNAPSHOT_LIMIT_REACHED'],
    idempotent: true,
    notAudited: 'stores a copy; changes no account, access or money',
    handle: async (ctx, { params, body }) => {
      const {
        id,
        name,
        createdAt,
        bytes = 0,
      } = await createSnapshot(
        { ...ctx, syncFiles: (agent) => syncAll(ctx, agent) },
        { agentId: params.id, name: body?.name },
      )
      return { id, name, createdAt, bytes }
    },
  }),

  route({
    name: 'agents.snapshots.list',
    method: 'GET',
    path: '/api/agents/:id/snapshots',
    summary: 'List restore points of an agent',
    description: 'Newest first.',
    tag: 'restore points',
    guard: 'session',
    params: agentParams,
    response: snapshotList,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params }) => ({
      snapshots: await listSnapshots(ctx, { agentId: params.id }),
    }),
  }),

  route({
    name: 'agents.restore',
    method: 'POST',
    path: '/api/agents/:id/restore',
    summary: 'Restore an agent',
    description: 'A deleted agent is created again with the same id.',
    tag: 'restore points',
    guard: 'session',
    params: agentParams,
    body: restoreRequest,
    status: 202,
    response: restoreAccepted,
    errors: [
      'bad-request',
      'unauthorized',
      'payment-required',
      'not-found',
      'conflict',
      'too-many-requests',
      'unavailable',
    ],
    codes: [
      'IMPORT_LIMIT_REACHED',
      'PROVISIONING_DISABLED',
      'RESTORE_IN_PROGRESS',
      'STORAGE_LIMIT_REACHED',
      'SUBSCRIPTION_REQUIRED',
      'TASK_LIMIT_REACHED',
    ],
    idempotent: true,
    notAudited: 'changes an agent’s settings, not money or access',
    handle: async (ctx, { params, body }) => {
      const { agentId, snapshotId } = await requestRestore(ctx, {
        agentId: params.id,
        snapshotId: body.snapshotId,
      })
      return { agentId, snapshotId, status: 'restoring' as const }
    },
  }),
]

export function wire(config: ConfigOf<'web-restore-points'>): Wiring<Services> {
  const queuesFor = openQueues(config)
  const objects = s3WholeObjects(config)
  return userGroup<Services>(config, (table) => (origin) => ({
    table,
    queues: queuesFor(origin),
    config,
    encryptionKey: config.WALLET_ENCRYPTION_KEY,
    objects,
  }))
}

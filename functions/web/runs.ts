import type { AgentQueue } from '#shared/agents/record/context.ts'
import { cancelRun } from '#shared/conversations/runs/cancel.ts'
import { listRuns } from '#shared/conversations/runs/list.ts'
import {
  runCancel,
  runCancelled,
  runList,
  runParams,
  runsQuery,
} from '#shared/conversations/runs/schema.ts'
import { changeTask } from '#shared/conversations/scheduled-tasks/change.ts'
import { createTask } from '#shared/conversations/scheduled-tasks/create.ts'
import { deleteTask } from '#shared/conversations/scheduled-tasks/delete.ts'
import { listTasks } from '#shared/conversations/scheduled-tasks/list.ts'
import { listTaskRuns } from '#shared/conversations/scheduled-tasks/runs/list.ts'
import { runNow } from '#shared/conversations/scheduled-tasks/runs/run-now.ts'
import {
  taskList,
  taskQuery,
  newTask,
  taskView,
  taskChange,
  taskDeleted,
  taskParams,
  taskRunBegun,
  taskRunList,
  taskRunsQuery,
  taskRef,
} from '#shared/conversations/scheduled-tasks/schema.ts'
import { createSwarm } from '#shared/conversations/swarms/create.ts'
import { listSwarms } from '#shared/conversations/swarms/list.ts'
import { runSwarm } from '#shared/conversations/swarms/run.ts'
import {
  swarmList,
  newSwarm,
  swarmView,
  swarmParams,
  swarmResults,
  swarmRun,
} from '#shared/conversations/swarms/schema.ts'
import { Paged } from '#shared/http/paged.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import type { AgentClientServices } from '../common/agent-client.ts'
import { userGroup } from '../common/user-group.ts'

export type Services = AgentClientServices & Sends<AgentQueue | 'task-runs' | 'telemetry'>

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'scheduledTasks.list',
    method: 'GET',
    path: '/api/scheduled-tasks',
    summary: 'List scheduled tasks',
    description: 'Oldest first.',
    tag: 'scheduled tasks',
    guard: 'session',
    query: taskQuery,
    response: taskList,
    errors: ['bad-request', 'unauthorized', 'not-found'],
    handle: async (context, { query }) => {
      const tasks = await listTasks(context, query)
      return { tasks, count: tasks.length }
    },
  }),

  route({
    name: 'scheduledTasks.create',
    method: 'POST',
    path: '/api/scheduled-tasks',
    summary: 'Create a scheduled task',
    description: 'Sends an agent a prompt on a schedule.',
    tag: 'scheduled tasks',
    guard: 'session',
    body: newTask,
    status: 201,
    response: taskView,
    idempotent: true,
    errors: ['bad-request', 'unauthorized', 'not-found', 'conflict'],
    codes: ['TASK_LIMIT_REACHED'],
    notAudited: 'changes an agent’s schedule; each run is stored',
    handle: (context, { body }) => createTask(context, body),
  }),

  route({
    name: 'scheduledTasks.update',
    method: 'PUT',
    path: '/api/scheduled-tasks',
    summary: 'Update a scheduled task',
    description: 'Fields that are left out do not change.',
    tag: 'scheduled tasks',
    guard: 'session',
    body: taskChange,
    response: taskView,
    errors: ['bad-request', 'unauthorized', 'not-found'],
    notAudited: 'changes an agent’s schedule; each run is stored',
    handle: (context, { body }) => changeTask(context, body),
  }),

  route({
    name: 'scheduledTasks.delete',
    method: 'DELETE',
    path: '/api/scheduled-tasks',
    summary: 'Delete a scheduled task',
    description: 'A run in progress continues.',
    tag: 'scheduled tasks',
    guard: 'session',
    body: taskRef,
    response: taskDeleted,
    errors: ['bad-request', 'unauthorized', 'not-found'],
    notAudited: 'changes an agent’s schedule; each run is stored',
    handle: async (context, { body }) => {
      await deleteTask(context, body)
      return { success: true as const, taskId: body.taskId }
    },
  }),

  route({
    name: 'scheduledTasks.runs',
    method: 'GET',
    path: '/api/scheduled-tasks/:id/runs',
    summary: 'List the runs of a scheduled task',
    description: 'Newest first.',
    tag: 'scheduled tasks',
    guard: 'session',
    params: taskParams,
    query: taskRunsQuery,
    response: taskRunList,
    pages: true,
    errors: ['bad-request', 'unauthorized', 'not-found'],
    handle: async (context, { params, query }) => {
      const { items: runs, next } = await listTaskRuns(context, { taskId: params.id, ...query })
      return new Paged({ runs }, next)
    },
  }),

  route({
    name: 'scheduledTasks.run',
    method: 'POST',
    path: '/api/scheduled-tasks/:id/run',
    summary: 'Run a scheduled task now',
    description: 'Does not change its schedule.',
    tag: 'scheduled tasks',
    guard: 'session',
    params: taskParams,
    status: 202,
    response: taskRunBegun,
    idempotent: true,
    errors: ['unauthorized', 'not-found', 'conflict'],
    codes: ['RUN_UNDER_WAY'],
    notAudited: 'changes an agent’s schedule; each run is stored',
    handle: async (context, { params }) => ({
      runId: await runNow(context, { taskId: params.id }),
    }),
  }),

  route({
    name: 'runs.list',
    method: 'GET',
    path: '/api/runs',
    summary: 'List runs',
    description: 'Active and recent runs, newest first.',
    tag: 'runs',
    guard: 'session',
    query: runsQuery,
    response: runList,
    errors: ['bad-request', 'unauthorized', 'not-found'],
    handle: async (context, { query }) => ({ runs: await listRuns(context, query) }),
  }),

  route({
    name: 'runs.cancel',
    method: 'POST',
    path: '/api/runs/:id/cancel',
    summary: 'Cancel a run',
    description:
      'Cancels a chat turn, a run of a scheduled task or swarm, the start of an agent, or a video that is not sent to the provider yet. Usage so far is charged.',
    tag: 'runs',
    guard: 'session',
    scope: 'chat',
    params: runParams,
    body: runCancel,
    bodyOptional: true,
    status: 202,
    response: runCancelled,
    errors: ['bad-request', 'unauthorized', 'not-found', 'conflict', 'internal'],
    codes: ['NOT_CANCELLABLE', 'PROVISIONING_DISABLED', 'RUN_ENDED', 'SCOPE_REQUIRED'],
    notAudited: 'cancels a run; no account, access or money changes',
    handle: async (context, { params, body }) => {
      await cancelRun(context, { id: params.id, reason: body?.reason })
      return { id: params.id, state: 'cancelling' as const }
    },
  }),

  route({
    name: 'swarms.list',
    method: 'GET',
    path: '/api/swarms',
    summary: 'List swarms',
    description: 'Oldest first.',
    tag: 'swarms',
    guard: 'session',
    response: swarmList,
    errors: ['unauthorized'],
    handle: async (context) => {
      const swarms = await listSwarms(context)
      return { swarms, count: swarms.length }
    },
  }),

  route({
    name: 'swarms.create',
    method: 'POST',
    path: '/api/swarms',
    summary: 'Create a swarm',
    description: 'All members must be agents of the caller.',
    tag: 'swarms',
    guard: 'session',
    body: newSwarm,
    status: 201,
    response: swarmView,
    idempotent: true,
    errors: ['bad-request', 'unauthorized', 'not-found', 'conflict'],
    codes: ['SWARM_LIMIT_REACHED'],
    notAudited: 'changes a group of agents',
    handle: (context, { body }) => createSwarm(context, body),
  }),

  route({
    name: 'swarms.run',
    method: 'POST',
    path: '/api/swarms/:id/run',
    summary: 'Run a swarm',
    description: 'Sends the prompt to all members in parallel.',
    tag: 'swarms',
    guard: 'session',
    open: { kind: 'swarm-runs', most: 20, what: 'runs of swarms' },
    params: swarmParams,
    body: swarmRun,
    response: swarmResults,
    idempotent: true,
    errors: ['bad-request', 'unauthorized', 'not-found', 'conflict', 'unavailable'],
    notAudited: 'turns with agents',
    handle: (context, { params, body }) => {
      return runSwarm(
        { ...context, signal: context.request.signal },
        { swarmId: params.id, prompt: body.prompt },
      )
    },
  }),
]

export function wire(config: ConfigOf<'web-runs'>): Wiring<Services> {
  const queuesFor = openQueues(config)
  const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
  return userGroup(config, (table) => (origin) => ({
    table,
    queues: queuesFor(origin),
    config,
    encryptionKey,
  }))
}

import type { Wiring } from '../../shared/http/wiring.ts'
import { routesWith } from '../../shared/http/route.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { type AgentClientServices, agentClient } from '../common/agent-client.ts'
import { listTasks } from '../../shared/scheduled-tasks/list.ts'
import {
  taskList,
  taskQuery,
  newTask,
  taskView,
  taskChange,
  taskDeleted,
  taskRef,
} from '../../shared/scheduled-tasks/schema.ts'
import { createTask } from '../../shared/scheduled-tasks/create.ts'
import { changeTask } from '../../shared/scheduled-tasks/change.ts'
import { deleteTask } from '../../shared/scheduled-tasks/delete.ts'
import { listSwarms } from '../../shared/swarms/list.ts'
import {
  swarmList,
  newSwarm,
  swarmView,
  swarmParams,
  swarmResults,
  swarmRun,
} from '../../shared/swarms/schema.ts'
import { createSwarm } from '../../shared/swarms/create.ts'
import { runSwarm } from '../../shared/swarms/run.ts'

const route = routesWith<AgentClientServices>()

export const routes = [
  route({
    name: 'scheduledTasks.list',
    method: 'GET',
    path: '/api/scheduled-tasks',
    summary: 'The caller’s scheduled tasks, oldest first, or those of one agent',
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
    summary: 'Send an agent a prompt by a schedule',
    tag: 'scheduled tasks',
    guard: 'session',
    body: newTask,
    status: 201,
    response: taskView,
    idempotent: true,
    errors: ['bad-request', 'unauthorized', 'not-found', 'conflict'],
    codes: ['TASK_LIMIT_REACHED'],
    notAudited: 'what an agent is asked and when; each run is a row',
    handle: (context, { body }) => createTask(context, body),
  }),

  route({
    name: 'scheduledTasks.update',
    method: 'PUT',
    path: '/api/scheduled-tasks',
    summary: 'Change what is given of a scheduled task',
    tag: 'scheduled tasks',
    guard: 'session',
    body: taskChange,
    response: taskView,
    errors: ['bad-request', 'unauthorized', 'not-found'],
    notAudited: 'what an agent is asked and when; each run is a row',
    handle: (context, { body }) => changeTask(context, body),
  }),

  route({
    name: 'scheduledTasks.delete',
    method: 'DELETE',
    path: '/api/scheduled-tasks',
    summary: 'Delete a scheduled task; a run that is under way ends as it will',
    tag: 'scheduled tasks',
    guard: 'session',
    body: taskRef,
    response: taskDeleted,
    errors: ['bad-request', 'unauthorized', 'not-found'],
    notAudited: 'what an agent is asked and when; each run is a row',
    handle: async (context, { body }) => {
      await deleteTask(context, body)
      return { success: true as const, taskId: body.taskId }
    },
  }),

  route({
    name: 'swarms.list',
    method: 'GET',
    path: '/api/swarms',
    summary: 'The caller’s swarms, oldest first',
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
    summary: 'Make a swarm of the caller’s own agents',
    tag: 'swarms',
    guard: 'session',
    body: newSwarm,
    status: 201,
    response: swarmView,
    idempotent: true,
    errors: ['bad-request', 'unauthorized', 'not-found', 'conflict'],
    codes: ['SWARM_LIMIT_REACHED'],
    notAudited: 'which agents are asked together',
    handle: (context, { body }) => createSwarm(context, body),
  }),

  route({
    name: 'swarms.run',
    method: 'POST',
    path: '/api/swarms/:id/run',
    summary: 'Run a prompt on every member of a swarm, side by side',
    tag: 'swarms',
    guard: 'session',
    params: swarmParams,
    body: swarmRun,
    response: swarmResults,
    idempotent: true,
    errors: ['bad-request', 'unauthorized', 'not-found', 'conflict', 'unavailable'],
    notAudited: 'turns with agents',
    handle: (context, { params, body }) => {
      const { actor, request } = context
      return runSwarm(
        { ...context, userId: actor.user.id, signal: request.signal },
        { swarmId: params.id, prompt: body.prompt },
      )
    },
  }),
]

export const wire: (config: ConfigOf<'web-automation'>) => Wiring<AgentClientServices> = agentClient

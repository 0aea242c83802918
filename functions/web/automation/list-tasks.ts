import { listTasks as list } from '../../../shared/scheduled-tasks/list.ts'
import { taskList, taskQuery } from '../../../shared/scheduled-tasks/schema.ts'
import { route } from './services.ts'

export const listTasks = route({
  method: 'GET',
  path: '/api/scheduled-tasks',
  summary: 'The caller’s scheduled tasks, oldest first, or those of one agent',
  tag: 'scheduled tasks',
  guard: 'session',
  query: taskQuery,
  response: taskList,
  errors: ['bad-request', 'unauthorized', 'not-found'],
  handle: async ({ table, actor }, { query }) => {
    const tasks = await list(table, actor.user.id, query.agentId)
    return { tasks, count: tasks.length }
  },
})

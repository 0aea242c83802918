import { createTask as create } from '../../../shared/scheduled-tasks/create.ts'
import { newTask, taskView } from '../../../shared/scheduled-tasks/schema.ts'
import { route } from './services.ts'

export const createTask = route({
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
  handle: ({ table, actor, seed }, { body }) => create(table, actor.user.id, body, seed),
})

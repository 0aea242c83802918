import { changeTask as change } from '../../../shared/scheduled-tasks/change.ts'
import { taskChange, taskView } from '../../../shared/scheduled-tasks/schema.ts'
import { route } from './services.ts'

export const changeTask = route({
  method: 'PUT',
  path: '/api/scheduled-tasks',
  summary: 'Change what is given of a scheduled task',
  tag: 'scheduled tasks',
  guard: 'session',
  body: taskChange,
  response: taskView,
  errors: ['bad-request', 'unauthorized', 'not-found'],
  handle: ({ table, actor }, { body: { taskId, ...given } }) =>
    change(table, actor.user.id, taskId, given),
})

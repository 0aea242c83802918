import { deleteTask as remove } from '../../../shared/scheduled-tasks/delete.ts'
import { taskDeleted, taskRef } from '../../../shared/scheduled-tasks/schema.ts'
import { route } from './services.ts'

export const deleteTask = route({
  method: 'DELETE',
  path: '/api/scheduled-tasks',
  summary: 'Delete a scheduled task; a run that is under way ends as it will',
  tag: 'scheduled tasks',
  guard: 'session',
  body: taskRef,
  response: taskDeleted,
  errors: ['bad-request', 'unauthorized', 'not-found'],
  handle: async ({ table, actor }, { body: { taskId } }) => {
    await remove(table, actor.user.id, taskId)
    return { success: true as const, taskId }
  },
})

import { taskEvents } from '#shared/agents/fleet/tasks/topic.ts'
import { observeTask } from '#shared/agents/fleet/watchdog/observe-task.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Handles the task state events of ECS. */
export const job = jobWith<typeof wire>()({
  topic: taskEvents,
  handle: (ctx, event) => observeTask(ctx, event),
})

export function wire(config: ConfigOf<'task-events'>) {
  return { services: { table: openTable(config), settings: config } }
}

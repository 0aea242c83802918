import type { StopMessage } from '../requests/topic.ts'
import { applyTask } from '../tasks/apply-event.ts'
import { markTaskLost } from '../tasks/mark-lost.ts'
import type { ProvisioningContext } from './context.ts'

/** Stops a task, even if its agent has changed since. The message names the task. */
export async function stopTask(ctx: ProvisioningContext, message: StopMessage): Promise<void> {
  const task = await ctx.containers.stop(message.taskArn, 'Stopped by the platform')
  if (task === undefined) await markTaskLost(ctx, message)
  // The event of its end may have been lost.
  else if (task.status === 'STOPPED') await applyTask(ctx, task)
}

import { applyTask } from '../tasks/apply-event.ts'
import type { ProvisioningContext } from './context.ts'
import { forgetTask } from './forget.ts'
import type { StopMessage } from './schema.ts'

/** Stops a task, whatever its agent does by now: it was named because it must end. */
export async function stopTask(ctx: ProvisioningContext, message: StopMessage): Promise<void> {
  const task = await ctx.containers.stop(message.taskArn, 'Stopped by the platform')
  if (task === undefined) await forgetTask(ctx, message)
  // The event of its end may have been lost.
  else if (task.status === 'STOPPED') await applyTask(ctx, task)
}

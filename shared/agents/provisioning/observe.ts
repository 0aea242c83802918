import { applyTask } from '../tasks/apply-event.ts'
import type { ProvisioningContext } from './context.ts'
import { forgetTask } from './forget.ts'
import type { ObserveMessage } from './schema.ts'

/** Looks at a task whose events may have been lost: what it shows moves its agent as they would have. */
export async function observeTask(
  ctx: ProvisioningContext,
  message: ObserveMessage,
): Promise<void> {
  const task = await ctx.containers.describe(message.taskArn)
  if (task === undefined) await forgetTask(ctx, message)
  else await applyTask(ctx, task)
}

import { changeAgent } from '../../agents/change.ts'
import { applyTask } from '../tasks/apply-event.ts'
import { isUp } from '../tasks/observe.ts'
import type { ProvisioningContext } from './context.ts'
import { markTaskLost } from './mark-lost.ts'
import type { ObserveMessage } from './topic.ts'

/** Looks at a task whose events may have been lost: what it shows moves its agent as they would have. */
export async function observeTask(
  ctx: ProvisioningContext,
  message: ObserveMessage,
): Promise<void> {
  const task = await ctx.containers.describe(message.taskArn)
  if (task === undefined) return markTaskLost(ctx, message)
  const { agent } = await applyTask(ctx, task)
  if (agent === undefined || message.askedAt === undefined || !isUp(task.status)) return undefined
  // How it was before it was asked says nothing of how it is since.
  await changeAgent(ctx, {
    agent,
    decide: (current) =>
      current.taskArn === task.arn ? { ...current, seenUp: message.askedAt } : current,
  })
}

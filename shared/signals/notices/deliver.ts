import type { Context } from '#shared/platform/identity/context.ts'
import { RetryAfter } from '#shared/platform/queues/retry-after.ts'
import type { Channel } from './channels.ts'
import { sendOnce } from './send-once.ts'
import type { NoticeMessage } from './topic.ts'

/**
 * Sends a notice to every channel that has not received it. Repeated or concurrent deliveries send nothing twice;
 * if a channel fails, the message is delivered again and only that channel is retried.
 * @throws Error with the names of the failed channels; RetryAfter if none failed and another delivery is running
 */
export async function deliverNotice(
  ctx: Pick<Context, 'table'> & { channels: readonly Channel[] },
  { id, notice }: NoticeMessage,
  now = Date.now(),
): Promise<void> {
  const outcomes = await Promise.allSettled(
    ctx.channels.map((channel) =>
      sendOnce(ctx.table, { id, channel: channel.name }, () => channel.send(notice), now),
    ),
  )
  const reasons = outcomes
    .filter((outcome) => outcome.status === 'rejected')
    .map(({ reason }) => reason as unknown)
  const underWay = reasons.find((reason) => reason instanceof RetryAfter)
  const failures = reasons.filter((reason) => !(reason instanceof RetryAfter))
  if (failures.length > 0)
    throw new AggregateError(
      failures,
      failures.map((reason) => String((reason as Error).message)).join('; '),
    )
  if (underWay !== undefined) throw underWay
}

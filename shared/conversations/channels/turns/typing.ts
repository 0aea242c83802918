import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { adapterContext, type CallsServices } from '../adapter-context.ts'
import { adapterOf } from '../adapters/index.ts'
import { openChannel } from '../channel.ts'
import { channelRows, channelWaitingRows } from '../rows.ts'
import { channelDeliveries, type TypingMessage } from '../topic.ts'
import type { Due } from './due.ts'

/** The most times that typing is shown for an event: five minutes at a service that shows it for five seconds. */
const maxTimes = 60

/**
 * Requests that a chat shows the work on an event, by a function that reaches the service. Best effort.
 * @param times 1 while the agent wakes, because each attempt requests it again
 */
export async function requestTyping(
  { queues, log }: Pick<Context, 'log'> & Sends<'channel-deliveries'>,
  { chat: { userId, agentId, channelId, chat }, channel: { kind }, event: { order } }: Due,
  times = maxTimes,
): Promise<void> {
  if (adapterOf(kind).typing === undefined) return
  const message = { userId, agentId, channelId, chat, typing: { order, times } }
  await queues
    .send(channelDeliveries, message)
    .catch((error: unknown) => log.warn('typing is not shown', { channelId, error }))
}

/** Shows in a chat that the agent works, and requests the next time, until the event is carried out. */
export async function showTyping(
  ctx: Pick<Context, 'table'> & CallsServices & Sends<'channel-deliveries'>,
  { typing, ...ref }: TypingMessage,
): Promise<void> {
  const { channelId } = ref
  const { order, times } = typing
  const [channel, event] = await Promise.all([
    channelRows.find(ctx.table, ref),
    channelWaitingRows.find(ctx.table, { ...ref, order }),
  ])
  const adapter = channel && adapterOf(channel.kind)
  if (channel === undefined || event === undefined || adapter?.typing === undefined) return
  try {
    await adapter.typing(adapterContext(ctx), await openChannel(ctx, channel), event.replyTo)
  } catch (error) {
    ctx.log.warn('typing is not shown', { channelId, error })
    return
  }
  if (times <= 1) return
  const again = { ...ref, typing: { order, times: times - 1 } }
  await ctx.queues.send(channelDeliveries, again, { delaySeconds: adapter.typingSeconds ?? 5 })
}

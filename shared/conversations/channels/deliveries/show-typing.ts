import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { adapterContext, type CallsServices } from '../adapter-context.ts'
import { adapterOf } from '../adapters/index.ts'
import { openChannel } from '../channel.ts'
import { channelRows, channelWaitingRows } from '../rows.ts'
import { channelDeliveries, type TypingMessage } from '../topic.ts'

/** Shows in a chat that the agent works. Requests the next call of itself, until the event is carried out. */
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
  await ctx.queues.send(channelDeliveries, again, { delaySeconds: adapter.typingSeconds ?? 0 })
}

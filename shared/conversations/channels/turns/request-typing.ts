import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { traitsOf } from '../adapters/traits.ts'
import { channelDeliveries } from '../topic.ts'
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
  if (traitsOf(kind).typingSeconds === undefined) return
  const message = { userId, agentId, channelId, chat, typing: { order, times } }
  await queues
    .send(channelDeliveries, message)
    .catch((error: unknown) => log.warn('typing is not shown', { channelId, error }))
}

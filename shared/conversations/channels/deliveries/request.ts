import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { channelDeliveries, type ChatRef } from '../topic.ts'

/** Requests the delivery of the stored messages to a chat. Never throws: the tick repeats a request that was lost. */
export async function requestDelivery(
  { queues, log }: Pick<Context, 'log'> & Sends<'channel-deliveries'>,
  { userId, agentId, channelId, chat }: ChatRef,
): Promise<void> {
  await queues
    .send(channelDeliveries, { userId, agentId, channelId, chat })
    .catch((error: unknown) => log.warn('a delivery waits for the tick', { channelId, error }))
}

import type { Execution, Outcome } from '#shared/permits/approvals/work/executor.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { mergeParts, tryCommit } from '#shared/platform/table/commit.ts'
import { LeaseLost } from '#shared/platform/work/lease-lost.ts'
import { requireChannel } from '../channel.ts'
import { deliveryParts } from '../deliveries/parts.ts'
import { requestDelivery } from '../deliveries/request.ts'
import { channelChatRows } from '../rows.ts'
import { keptChat } from './kept-chat.ts'
import { textsOf } from './outgoing.ts'
import { fromParkedMessage } from './parked.ts'
import { approvedIn } from './recipients.ts'

/**
 * Stores an approved message for its delivery, in the transaction that ends its approval.
 * @throws PlatformError 403 if the person was blocked, 404 if the channel was deleted
 */
export async function carryOutChannelMessage(
  ctx: Pick<Context, 'table' | 'log'> & Sends<'channel-deliveries'>,
  { approval, request, agent, ending }: Execution,
): Promise<Outcome> {
  const { id: agentId, userId } = agent
  const parked = fromParkedMessage(request)
  const { channelId, chat: hash, replyTo, person, event, text, file } = parked
  if (userId === null) throw new PlatformError('forbidden', 'The agent has no owner')
  const ref = { userId, agentId, channelId }
  const channel = await requireChannel(ctx, ref)
  const [chat, isApproved] = await Promise.all([
    channelChatRows.find(ctx.table, { ...ref, chat: hash }),
    approvedIn(ctx, channel),
  ])
  if (chat === undefined) throw notFound('Chat')
  if (!isApproved(person)) throw new PlatformError('forbidden', 'The person is no longer approved')
  // The same approval and the same answer have the same keys.
  const seed = event ?? approval.id.slice(approval.id.indexOf('_') + 1)
  const texts = textsOf(channel, text)
  const now = Date.now()
  const parts = deliveryParts({ channel, chat, seed, texts, file, replyTo, now, once: true })
  const result = { status: 200, body: '' }
  const kept = { chat: keptChat(chat, now) }
  const refusals = await tryCommit(ctx.table, mergeParts(ending(result), { ...parts, ...kept }))
  if (refusals?.['approval'] !== undefined) throw new LeaseLost(approval.id)
  if (refusals?.['chat'] !== undefined) throw notFound('Chat')
  if (refusals !== undefined) return { state: 'done', result }
  await requestDelivery(ctx, chat)
  return 'ended'
}

import type { SenderView } from '#shared/agents/bots/schema.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { type ChannelRef, requireChannel } from '../channel.ts'
import { channelSenderRows } from '../rows.ts'
import { withoutOldCodes } from './senders.ts'

/** Returns the senders of a channel, the newest first. @throws PlatformError 404 */
export async function listChannelSenders(
  ctx: Pick<Context, 'table'>,
  ref: ChannelRef,
): Promise<SenderView[]> {
  await requireChannel(ctx, ref)
  const { senders = {} } = (await channelSenderRows.find(ctx.table, ref)) ?? {}
  return Object.entries(withoutOldCodes(senders, Date.now()))
    .toSorted(([, a], [, b]) => b.at - a.at)
    .map(([id, { name, state, code }]) => ({ id, name: name || null, state, code }))
}

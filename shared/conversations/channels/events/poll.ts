import { eventWrites } from '#shared/agents/record/events/write.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { adapterContext, type CallsServices } from '../adapter-context.ts'
import { adapterOf } from '../adapters/index.ts'
import { type ChannelRef, openChannel } from '../channel.ts'
import { channelPollRows, channelRows } from '../rows.ts'
import { storeEvent } from './store.ts'

type PollContext = Pick<Context, 'table' | 'log'> & CallsServices & Sends<'channel-turns'>

/**
 * Asks the services of channels for messages if no public https address can receive them: on one machine. A
 * channel's service is asked again as soon as it has answered.
 * @param input.until epoch milliseconds; no service is asked after it
 * @returns the number of polled channels
 */
export async function pollChannels(ctx: PollContext, { until }: { until: number }) {
  if (ctx.webUrl.startsWith('https:')) return { polled: 0 }
  const { pk } = channelPollRows.key({ channelId: '' })
  const rows = await allItems((from) => ctx.table.query({ pk, ...from }))
  const polled = rows.map((item) => channelPollRows.parse(item))
  await Promise.all(polled.map((row) => pollUntil(ctx, row, until)))
  return { polled: polled.length }
}

type Polled = ChannelRef & { cursor: string }

async function pollUntil(ctx: PollContext, first: Polled, until: number): Promise<void> {
  const { clock = Date.now } = ctx
  let row = first
  try {
    while (clock() < until) row = await pollOnce(ctx, row)
  } catch (error) {
    const { channelId } = row
    const isRevoked = error instanceof PlatformError && error.kind === 'unauthorized'
    if (isRevoked) await endPolls(ctx, row, error.message)
    else ctx.log.warn('a channel is asked again by the next tick', { channelId, error })
  }
}

async function pollOnce(ctx: PollContext, row: Polled): Promise<Polled> {
  const { cursor: before, ...ref } = row
  const channel = await channelRows.find(ctx.table, ref)
  const poll = channel && adapterOf(channel.kind).poll
  if (channel === undefined || poll === undefined) throw new Error('the channel is deleted')
  const calls = adapterContext(ctx)
  const { events, cursor } = await poll(calls, await openChannel(ctx, channel), before)
  const { clock = Date.now } = ctx
  for (const event of events) await storeEvent(ctx, { channel, event, now: clock() })
  const next = { ...ref, cursor }
  if (cursor !== before)
    await ctx.table.put(channelPollRows.put({ channelId: ref.channelId }, next))
  return next
}

/** Reports to the owner that a channel receives nothing any more, and ends its polls. */
async function endPolls(ctx: PollContext, ref: ChannelRef, text: string): Promise<void> {
  const agent = await readAgent(ctx.table, ref)
  const happenings = [{ kind: 'configured' as const, text }]
  const now = Date.now()
  const [event] = agent ? eventWrites(agent, { happenings, by: 'platform', now, from: 8 }) : []
  await commit(ctx.table, {
    polls: { delete: channelPollRows.key({ channelId: ref.channelId }) },
    event,
  })
}

import { eventWrites } from '#shared/agents/record/events/write.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { adapterContext, type CallsServices } from '../adapter-context.ts'
import { adapterOf } from '../adapters/index.ts'
import { type ChannelRef, openChannel } from '../channel.ts'
import { channelPollRows, channelRows } from '../rows.ts'
import { receiveUrl } from '../view.ts'
import { storeEvent } from './store.ts'

type PollContext = Pick<Context, 'table' | 'log'> & CallsServices & Sends<'channel-turns'>

/**
 * Polls the services of channels for messages, if no public https address can receive them: on one machine. Each poll
 * begins when the last one has ended. If WEB_URL has become such an address, it is registered at the services, and the
 * polls end.
 * @param input.until epoch milliseconds; no poll begins later
 * @returns the number of polled channels
 */
export async function pollChannels(ctx: PollContext, { until }: { until: number }) {
  if (ctx.guard.deployed) return { polled: 0 }
  const { pk } = channelPollRows.key({ channelId: '' })
  const rows = await allItems((from) => ctx.table.query({ pk, ...from }))
  const polled = rows.map((item) => channelPollRows.parse(item))
  if (ctx.webUrl.startsWith('https:')) {
    for (const row of polled) await register(ctx, row)
    return { polled: 0 }
  }
  await Promise.all(polled.map((row) => pollUntil(ctx, row, until)))
  return { polled: polled.length }
}

/** Registers the address of a channel at its service instead of polls. */
async function register(ctx: PollContext, { channelId, ...ref }: Polled): Promise<void> {
  try {
    const channel = await channelRows.find(ctx.table, { ...ref, channelId })
    if (channel !== undefined) {
      const address = receiveUrl(ctx.webUrl, channel)
      const opened = await openChannel(ctx, channel)
      await adapterOf(channel.kind).setUp(adapterContext(ctx), opened, address)
    }
    await ctx.table.delete(channelPollRows.key({ channelId }))
  } catch (error) {
    ctx.log.warn('a channel is registered at its service by the next tick', { channelId, error })
  }
}

type Polled = ChannelRef & { cursor: string }

async function pollUntil(ctx: PollContext, first: Polled, until: number): Promise<void> {
  const { clock = Date.now } = ctx
  let row = first
  try {
    while (clock() < until) {
      const next = await pollOnce(ctx, row)
      if (next === undefined) return
      row = next
    }
  } catch (error) {
    const { channelId } = row
    const isRevoked = error instanceof PlatformError && error.kind === 'unauthorized'
    if (isRevoked) await endPolls(ctx, row, error.message)
    else ctx.log.warn('a channel is asked again by the next tick', { channelId, error })
  }
}

/** @returns undefined if the channel is deleted */
async function pollOnce(ctx: PollContext, row: Polled): Promise<Polled | undefined> {
  const { cursor: before, ...ref } = row
  const channel = await channelRows.find(ctx.table, ref)
  const poll = channel && adapterOf(channel.kind).poll
  if (channel === undefined || poll === undefined) {
    await ctx.table.delete(channelPollRows.key(ref))
    return undefined
  }
  const calls = adapterContext(ctx)
  const { events, cursor } = await poll(calls, await openChannel(ctx, channel), before)
  const { clock = Date.now } = ctx
  for (const event of events) await storeEvent(ctx, { channel, event, now: clock() })
  if (cursor !== before)
    await tryWrite(
      ctx.table.update(channelPollRows.key(ref), {
        set: { cursor },
        if: 'attribute_exists(pk)',
      }),
    )
  return { ...ref, cursor }
}

/** Ends the polls of a channel, and reports to the owner that it no longer receives messages. */
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

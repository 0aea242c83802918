import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { adapterContext, type CallsServices } from './adapter-context.ts'
import { adapterOf } from './adapters/index.ts'
import { type Channel, openChannel } from './channel.ts'
import { channelTearDownRows } from './rows.ts'

type TearDownContext = Pick<Context, 'table'> & CallsServices

/**
 * Removes the registrations of deleted agents' channels at their services. While a service cannot be reached, the next
 * call tries again, for a day.
 * @returns the number of channels that were found
 */
export async function tearDownChannels(ctx: TearDownContext): Promise<{ tornDown: number }> {
  const { pk } = channelTearDownRows.key({ channelId: '' })
  const items = await allItems((from) => ctx.table.query({ pk, ...from }))
  const channels = items.map((item) => channelTearDownRows.parse(item))
  for (const channel of channels)
    if (await isOver(ctx, channel))
      await ctx.table.delete(channelTearDownRows.key({ channelId: channel.id }))
  return { tornDown: channels.length }
}

async function isOver(ctx: TearDownContext, channel: Channel): Promise<boolean> {
  try {
    await adapterOf(channel.kind).tearDown?.(adapterContext(ctx), await openChannel(ctx, channel))
    return true
  } catch (error) {
    ctx.log.warn('a channel is still registered at its service', { channelId: channel.id, error })
    // A service that no longer accepts the credentials never will.
    return !(error instanceof PlatformError && error.kind === 'bad-gateway')
  }
}

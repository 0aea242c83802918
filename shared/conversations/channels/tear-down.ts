import type { Context } from '#shared/platform/identity/context.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import type { CallsServices } from './adapter-context.ts'
import type { Channel } from './channel.ts'
import { channelRows, channelTearDownRows } from './rows.ts'
import { tearDown } from './unregister.ts'

type TearDownContext = Pick<Context, 'table'> & CallsServices

/**
 * Removes the registrations of deleted channels at their services. While a service cannot be reached, later calls try
 * again for a day.
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
  const { id: channelId, userId, agentId } = channel
  const current = await channelRows.find(ctx.table, { userId, agentId, channelId })
  if (current !== undefined)
    // A channel with this id exists: either a new one, because the config has a token again, or this one, whose deletion
    // is under way.
    return current.createdAt !== channel.createdAt
  return tearDown(ctx, channel)
}

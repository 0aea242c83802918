import { requireAgent } from '#shared/agents/record/find.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { deleteCounted } from '#shared/platform/table/delete-counted.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { CallsServices } from './adapter-context.ts'
import { requireChannel } from './channel.ts'
import { configChannelId } from './from-config/id.ts'
import { settle } from './from-config/settle.ts'
import { storeToken } from './from-config/store-token.ts'
import { removeChats } from './remove-chats.ts'
import { channelCountRows, channelLocatorRows, channelPollRows, channelRows } from './rows.ts'
import { unregister } from './unregister.ts'

/**
 * Deletes a channel, which then neither receives nor sends. If the channel has the token of the agent's config, the
 * token is also removed from the config.
 * @throws PlatformError 404
 */
export async function deleteChannel(
  ctx: UserContext & CallsServices,
  { agentId, channelId }: { agentId: string; channelId: string },
): Promise<void> {
  const agent = await requireAgent(ctx, { agentId, owner: ctx.owner })
  const ref = { userId: ctx.owner, agentId, channelId }
  const channel = await requireChannel(ctx, ref)
  const isOfConfig = channelId === configChannelId(agent)
  const changed = isOfConfig ? await storeToken(ctx, agent, null) : agent
  await unregister(ctx, channel)
  await ctx.table.delete(channelLocatorRows.key({ channelId }))
  await ctx.table.delete(channelPollRows.key({ channelId }))
  const isDeleted = await deleteCounted(ctx.table, {
    delete: channelRows.key(ref),
    count: { in: channelCountRows.key(ref), attribute: 'count' },
  })
  if (!isDeleted) throw notFound('Channel')
  await removeChats(userStore(ctx.table, ctx.owner), { agentId, channelId })
  if (isOfConfig) await settle(ctx, changed, { wanted: undefined, refusal: undefined })
}

import { requireAgent } from '#shared/agents/record/find.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { type ListPage, newestPage, type PageQuery } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { requireChannel } from '../channel.ts'
import { channelDeliveryRows } from '../rows.ts'
import type { ChannelDelivery } from '../schema.ts'

/** Returns what a channel sent in the last 30 days, newest first. @throws PlatformError 404 */
export async function listChannelDeliveries(
  ctx: UserContext,
  { agentId, channelId, ...page }: PageQuery & { agentId: string; channelId: string },
): Promise<ListPage<ChannelDelivery>> {
  await requireAgent(ctx, { agentId, owner: ctx.owner })
  await requireChannel(ctx, { userId: ctx.owner, agentId, channelId })
  const beginsWith = channelDeliveryRows.prefix({ agentId, channelId })
  const { items, next } = await newestPage(userStore(ctx.table, ctx.owner), { beginsWith, ...page })
  return { items: items.map((item) => channelDeliveryRows.parse(item)), next }
}

import { requireAgent } from '#shared/agents/record/find.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { channelRows } from './rows.ts'
import type { ChannelView } from './schema.ts'
import { waitingSenders } from './senders/waiting.ts'
import { viewOf } from './view.ts'

/** Returns the channels of an agent, oldest first. @throws PlatformError 404 */
export async function listChannels(
  ctx: UserContext & Can<'webUrl'>,
  { agentId }: { agentId: string },
): Promise<ChannelView[]> {
  await requireAgent(ctx, { agentId, owner: ctx.owner })
  const store = userStore(ctx.table, ctx.owner)
  const beginsWith = channelRows.prefix({ agentId })
  const items = await allItems((from) => store.query({ beginsWith, ...from }))
  const channels = items.map((item) => channelRows.parse(item))
  const waiting = await waitingSenders(ctx.table, channels)
  return channels.map((channel, i) => viewOf(ctx.webUrl, channel, waiting[i] ?? 0))
}

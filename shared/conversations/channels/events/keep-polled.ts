import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import type { Channel } from '../channel.ts'
import { channelPollRows } from '../rows.ts'
import { isPolled } from '../view.ts'

/** Resumes the polls of a changed channel. They had ended if its service no longer accepted the credentials. */
export async function keepPolled(
  { table, webUrl }: Pick<Context, 'table'> & Can<'webUrl'>,
  channel: Channel,
): Promise<void> {
  if (!isPolled(webUrl, channel)) return
  const { id: channelId, userId, agentId } = channel
  const row = { userId, agentId, channelId, cursor: '' }
  await tryCommit(table, { polls: { put: channelPollRows.put({ channelId }, row), ...absent() } })
}

import { agentAlive, agentKey } from '#shared/agents/record/agent.ts'
import { notFound } from '#shared/platform/errors.ts'
import { insertCounted } from '#shared/platform/table/insert-counted.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { Channel } from './channel.ts'
import { channelLimit, channelLimitReached } from './require-room.ts'
import { channelCountRows, channelLocatorRows, channelPollRows, channelRows } from './rows.ts'

/**
 * Writes the rows of a new channel. If the channel exists already, nothing changes.
 * @param isPolled true if the platform polls the service for messages
 * @throws PlatformError 404, 409 CHANNEL_LIMIT_REACHED
 */
export async function insertChannel(
  table: Table,
  channel: Channel,
  isPolled: boolean,
): Promise<void> {
  const { id: channelId, userId, agentId } = channel
  await insertCounted(table, {
    put: channelRows.put({ userId, agentId, channelId }, channel),
    count: {
      in: channelCountRows.key({ userId, agentId }),
      attribute: 'count',
      limit: channelLimit,
    },
    also: {
      locator: { put: channelLocatorRows.put({ channelId }, { userId, agentId }) },
      poll: isPolled
        ? { put: channelPollRows.put({ channelId }, { userId, agentId, channelId, cursor: '' }) }
        : undefined,
      agent: { check: agentKey({ userId, agentId }), ...agentAlive },
    },
    limitReached: channelLimitReached,
    errors: { agent: () => notFound('Agent') },
  })
}

import { agentAlive, agentKey } from '#shared/agents/record/agent.ts'
import { limitReached, notFound } from '#shared/platform/errors.ts'
import { insertCounted } from '#shared/platform/table/insert-counted.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { Channel } from './channel.ts'
import { channelCountRows, channelLocatorRows, channelRows } from './rows.ts'

/** The maximum number of channels of an agent. */
const channelLimit = 10

/**
 * Writes the rows of a new channel; a repeat finds the first.
 * @throws PlatformError 404, 409 CHANNEL_LIMIT_REACHED
 */
export async function insertChannel(table: Table, channel: Channel): Promise<void> {
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
      agent: { check: agentKey({ userId, agentId }), ...agentAlive },
    },
    limitReached: channelLimitReached,
    errors: { agent: () => notFound('Agent') },
  })
}

const channelLimitReached = () =>
  limitReached(
    'CHANNEL_LIMIT_REACHED',
    `The agent has ${channelLimit} channels already; delete one to create another`,
    { limit: channelLimit },
  )

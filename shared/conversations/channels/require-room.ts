import { limitReached } from '#shared/platform/errors.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { channelCountRows } from './rows.ts'

/** The maximum number of channels of an agent. */
export const channelLimit = 10

/**
 * Refuses a new channel at the limit of its agent, before its service is called. `insertChannel` enforces the limit.
 * @throws PlatformError 409 CHANNEL_LIMIT_REACHED
 */
export async function requireRoom(
  table: Table,
  agent: { userId: string; agentId: string },
): Promise<void> {
  const { count = 0 } = (await channelCountRows.find(table, agent)) ?? {}
  if (count >= channelLimit) throw channelLimitReached()
}

/** Returns the error for a channel above the limit: 409 CHANNEL_LIMIT_REACHED. */
export const channelLimitReached = () =>
  limitReached(
    'CHANNEL_LIMIT_REACHED',
    `The agent has ${channelLimit} channels already; delete one to create another`,
    { limit: channelLimit },
  )

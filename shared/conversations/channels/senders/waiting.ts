import type { Table } from '#shared/platform/table/port.ts'
import type { Channel } from '../channel.ts'
import { channelSenderRows } from '../rows.ts'
import { withoutOldCodes } from './senders.ts'

/** Returns how many senders of each channel wait for a decision, in the channels' order. */
export async function waitingSenders(
  table: Table,
  channels: readonly Channel[],
): Promise<number[]> {
  const rows = await table.getMany(
    channels.map(({ id: channelId, userId, agentId }) =>
      channelSenderRows.key({ userId, agentId, channelId }),
    ),
  )
  const now = Date.now()
  return rows.map((row) => {
    if (row === undefined) return 0
    const senders = withoutOldCodes(channelSenderRows.parse(row).senders, now)
    return Object.values(senders).filter(({ state }) => state === 'pending').length
  })
}

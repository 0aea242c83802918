import type { Table } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { traitsOf } from './adapters/traits.ts'
import type { Channel } from './channel.ts'
import { channelTearDownRows } from './rows.ts'

/** The time for the removal of a registration, while its service cannot be reached. In seconds. */
const tearDownSeconds = 86_400

/** Has the schedule of channels remove the registration of a deleted channel at its service, if it has one. */
export async function storeTearDown(table: Table, channel: Channel): Promise<void> {
  if (traitsOf(channel.kind).isRegistered !== true) return
  const expiresAt = epochSeconds(Date.now()) + tearDownSeconds
  await table.put(channelTearDownRows.put({ channelId: channel.id }, channel, { expiresAt }))
}

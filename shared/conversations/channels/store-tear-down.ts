import type { Table } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { traitsOf } from './adapters/traits.ts'
import type { Channel } from './channel.ts'
import { channelTearDownRows } from './rows.ts'

/** The time for attempts to remove a registration while its service cannot be reached, in seconds. */
const tearDownSeconds = 86_400

/** Stores a deleted channel with a registration, so that the schedule of channels removes the registration. */
export async function storeTearDown(table: Table, channel: Channel): Promise<void> {
  if (traitsOf(channel.kind).isRegistered !== true) return
  const expiresAt = epochSeconds(Date.now()) + tearDownSeconds
  await table.put(channelTearDownRows.put({ channelId: channel.id }, channel, { expiresAt }))
}

import { notFound } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { adapterContext, type CallsServices } from '../adapter-context.ts'
import type { Inbound } from '../adapters/adapter.ts'
import { adapterOf } from '../adapters/index.ts'
import { type Channel, openChannel } from '../channel.ts'
import { storeReport } from '../deliveries/report.ts'
import { channelLocatorRows, channelRows } from '../rows.ts'
import { storeEvent } from './store.ts'

interface Received {
  kind: string
  channelId: string
  inbound: Inbound
  /** Counts the request for its channel. Called after its signature was verified. @throws PlatformError 429 */
  countFor(channelId: string): Promise<void>
}

/**
 * Stores the events in a request of a channel's service, each event once.
 * @returns the response to a request that only verifies the address; undefined for any other request
 * @throws PlatformError 401 for a request that the service did not sign, 404, 429
 */
export async function receiveEvents(
  ctx: Pick<Context, 'table'> & CallsServices & Sends<'channel-turns'>,
  { kind, channelId, inbound, countFor }: Received,
): Promise<Response | undefined> {
  const channel = await findById(ctx, channelId)
  if (channel === undefined || channel.kind !== kind) throw notFound('Channel')
  const adapter = adapterOf(channel.kind)
  const opened = await openChannel(ctx, channel)
  const calls = adapterContext(ctx)
  await adapter.verify(calls, opened, inbound)
  await countFor(channelId)
  const challenge = adapter.challenge?.(opened, inbound)
  if (challenge !== undefined) return challenge
  const events = await adapter.read(opened, inbound, calls.now)
  for (const [index, event] of events.entries())
    await storeEvent(ctx, { channel, event, index, now: calls.now })
  for (const report of adapter.reports?.(opened, inbound) ?? [])
    await storeReport(ctx, { channel, report })
  return undefined
}

async function findById(
  { table }: Pick<Context, 'table'>,
  channelId: string,
): Promise<Channel | undefined> {
  const locator = await channelLocatorRows.find(table, { channelId })
  return locator && channelRows.find(table, { ...locator, channelId })
}

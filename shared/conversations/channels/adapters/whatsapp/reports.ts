import type { Inbound, OpenChannel, Report } from '../adapter.ts'
import { reasonOf } from './api.ts'
import { changesOf, type Status } from './payload.ts'

const delivered = new Set(['sent', 'delivered', 'read'])

/** Returns what the statuses of a notification say about messages of the channel. */
export function reports(channel: OpenChannel, inbound: Inbound): Report[] {
  return changesOf(channel, inbound).flatMap(({ statuses }) => statuses.flatMap(reportOf))
}

function reportOf({ status, biz_opaque_callback_data: key, errors }: Status): Report[] {
  if (key === undefined) return []
  if (delivered.has(status)) return [{ key, outcome: { state: 'sent' } }]
  if (status !== 'failed') return []
  const [error] = errors ?? []
  const reason = error ? reasonOf(error.code, error.error_data?.details ?? '') : 'WhatsApp: failed'
  return [{ key, outcome: { state: 'failed', reason } }]
}

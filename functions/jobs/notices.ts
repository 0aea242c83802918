import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { channels } from '#shared/signals/notices/channels.ts'
import { deliverNotice } from '#shared/signals/notices/deliver.ts'
import { notices } from '#shared/signals/notices/topic.ts'
import { jobWith } from '../common/job.ts'

/** Sends notices about the watchdog's incidents and repairs. */
export const job = jobWith<typeof wire>()({
  topic: notices,
  handle: (ctx, message) => deliverNotice(ctx, message),
})

export function wire(config: ConfigOf<'notices'>) {
  return { services: { table: openTable(config), channels: channels(config) } }
}

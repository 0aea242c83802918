import { attemptBusDelivery } from '#shared/network/bus/delivery/attempt.ts'
import { deliveries } from '#shared/network/bus/delivery/topic.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Retries the delivery of messages between agents. */
export const job = jobWith<typeof wire>()({
  topic: deliveries,
  handle: (ctx, message) => attemptBusDelivery(ctx, message),
})

export function wire(config: ConfigOf<'bus-deliveries'>) {
  return { services: { table: openTable(config), config, guard: config } }
}

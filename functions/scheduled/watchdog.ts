import { tick as tickWatchdog } from '#shared/agents/fleet/watchdog/tick.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { waitingIn } from '#shared/platform/queues/depth.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every minute: finds agents that are due for a check or another step. */
export const tick: TickOf<typeof wire> = ({ scheduledAt: at, ...ctx }) =>
  tickWatchdog(ctx, { now: Date.now(), at })

export function wire(config: ConfigOf<'watchdog'>) {
  const waitingOf = {
    checks: waitingIn(config.SQS_ENDPOINT, config.queueUrl('checks')),
    provisioning: waitingIn(config.SQS_ENDPOINT, config.queueUrl('provisioning')),
  }
  const waiting = (queue: keyof typeof waitingOf) => waitingOf[queue]()
  return { services: { table: openTable(config), settings: config, waiting } }
}

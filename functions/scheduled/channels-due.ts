import { chatWork, outboxWork } from '#shared/conversations/channels/work.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every minute: finds chats with events to carry out, and with messages to send. */
export const tick: TickOf<typeof wire> = async (ctx) => {
  const [turns, deliveries] = await Promise.all([chatWork.tick(ctx), outboxWork.tick(ctx)])
  return { sent: turns + deliveries }
}

export function wire(config: ConfigOf<'channels-due'>) {
  return { services: { table: openTable(config) } }
}

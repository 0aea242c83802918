import { tickAgentPayments } from '#shared/network/agent-payments/tick.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every minute: finds payments of agents that the chain has not decided. */
export const tick: TickOf<typeof wire> = (ctx) => tickAgentPayments(ctx)

export function wire(config: ConfigOf<'agent-payments-due'>) {
  return { services: { table: openTable(config) } }
}

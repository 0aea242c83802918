import { approvalMailWork } from '#shared/permits/approvals/mails/items.ts'
import { approvalTurnWork } from '#shared/permits/approvals/turns/items.ts'
import { approvalWork } from '#shared/permits/approvals/work/items.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every minute: finds approvals to expire or to carry out, owners to mail, and agents to tell. */
export const tick: TickOf<typeof wire> = async (ctx) => {
  const sent = await Promise.all([
    approvalWork.tick(ctx),
    approvalMailWork.tick(ctx),
    approvalTurnWork.tick(ctx),
  ])
  return { sent: sent.reduce((sum, count) => sum + count, 0) }
}

export function wire(config: ConfigOf<'approvals-due'>) {
  return { services: { table: openTable(config) } }
}

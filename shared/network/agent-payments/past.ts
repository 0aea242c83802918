import type { ListPastEffects } from '#shared/permits/policy/replay.ts'
import { newestPage } from '#shared/platform/table/pages.ts'
import { paymentsOf } from './payment.ts'
import { agentPaymentRows } from './rows.ts'

/** Lists an agent's latest payments. */
export const pastPayments: ListPastEffects = async ({ table }, { agent, since, limit }) => {
  const partition = paymentsOf(table, { agentId: agent.id })
  const { items } = await newestPage(partition, { beginsWith: agentPaymentRows.prefix(), limit })
  return items.flatMap((item) => {
    const { at, host, payee, microUsd } = agentPaymentRows.parse(item)
    const target = { host, payee }
    const effect = { action: 'payment.send' as const, target, microUsd: BigInt(microUsd) }
    const time = Date.parse(at)
    return time < since ? [] : [{ at: time, effect }]
  })
}

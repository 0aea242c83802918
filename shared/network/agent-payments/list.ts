import { requireAgent } from '#shared/agents/record/find.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { type ListPage, newestPage, type PageQuery } from '#shared/platform/table/pages.ts'
import { paymentsOf, paymentView } from './payment.ts'
import { agentPaymentRows } from './rows.ts'
import type { PaymentView } from './schema.ts'

/**
 * Lists an agent's payments, newest first.
 * @param query `month` (YYYY-MM, UTC) limits them to a statement of that month
 * @throws PlatformError 404
 */
export async function listAgentPayments(
  { table, owner }: UserContext,
  { agentId, month, limit, cursor }: PageQuery & { agentId: string; month?: string | undefined },
): Promise<ListPage<PaymentView>> {
  await requireAgent({ table }, { agentId, owner })
  const beginsWith = agentPaymentRows.prefix(month === undefined ? {} : { month })
  const partition = paymentsOf(table, { agentId })
  const { items, next } = await newestPage(partition, { beginsWith, limit, cursor })
  return { items: items.map((item) => paymentView(agentPaymentRows.parse(item))), next }
}

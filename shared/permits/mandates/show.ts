import { amountOf, format } from '#shared/money/amounts/amount.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { isoOf } from '#shared/platform/times.ts'
import { readUse } from './hold.ts'
import type { MandateView, NewMandate } from './schema.ts'

/** Returns an agent's mandate with the amounts that count against it now. */
export async function showMandate(
  table: Pick<Table, 'get'>,
  { agentId, mandate }: { agentId: string; mandate: NewMandate },
): Promise<MandateView> {
  const { day, month } = await readUse(table, { agentId, at: isoOf(Date.now()) })
  const text = (micro: bigint) => format(amountOf('USD', micro))
  return { ...mandate, usedTodayUsd: text(day), usedThisMonthUsd: text(month) }
}

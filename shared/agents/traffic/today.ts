import type * as z from 'zod'
import { dayOf } from '#shared/platform/days.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { type Agent, ownerOf } from '../record/agent.ts'
import { sentLimits } from './limits.ts'
import { trafficRows } from './rows.ts'
import type { trafficAnswer } from './schema.ts'

/** Returns an agent's traffic on this day (UTC), and its limits. */
export async function trafficOfToday(
  { table }: { table: Table },
  { agent }: { agent: Agent },
  now = Date.now(),
): Promise<z.input<typeof trafficAnswer>['traffic']> {
  const date = dayOf(now)
  const item = await table.get(trafficRows.key({ userId: ownerOf(agent), agentId: agent.id }))
  const days = item === undefined ? [] : trafficRows.parse(item).days
  const { sentBytes = null, printedBytes = null } = days.find((day) => day.date === date) ?? {}
  const { included, most } = sentLimits[agent.plan]
  return { date, sentBytes, printedBytes, includedBytes: included, mostBytes: most }
}

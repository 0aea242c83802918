import type * as z from 'zod'
import { heavyPartition, trafficRows } from '#shared/agents/traffic/rows.ts'
import { dayOf } from '#shared/platform/days.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { trafficPage, trafficQuery } from './schema.ts'

/**
 * Lists the agents that sent more on a day (UTC) than their plans include, by id. An agent that exceeded its plan again
 * on a later day is listed only on that day.
 */
export async function heavySenders(
  { table }: { table: Table },
  { date = dayOf(Date.now()), limit, cursor }: z.output<typeof trafficQuery>,
): Promise<z.input<typeof trafficPage>> {
  const { items } = await table.query({
    index: 'gsi1',
    pk: heavyPartition(date),
    between: [cursor === undefined ? '0' : `${cursor}~`, '~'],
    limit: limit + 1,
  })
  const rows = items.slice(0, limit).map(trafficRows.parse)
  const agents = rows.map(({ agentId, userId, days }) => {
    const { sentBytes = null, printedBytes = null } = days.find((day) => day.date === date) ?? {}
    return { agentId, userId, sentBytes, printedBytes }
  })
  return { date, agents, nextCursor: items.length > limit ? (rows.at(-1)?.agentId ?? null) : null }
}

import type * as z from 'zod'
import type { Table } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { ownerOf } from '../agent.ts'
import type { Agent } from '../record.ts'
import { eventRows } from '../rows.ts'
import type { agentEvent } from './schema.ts'

/** What became of an agent in the last 90 days, newest first; that it was made is known for as long as it is there. */
export async function listEvents(
  { table }: { table: Table },
  { agent, limit }: { agent: Agent; limit: number },
): Promise<z.input<typeof agentEvent>[]> {
  if (limit === 0) return []
  const { items } = await userStore(table, ownerOf(agent)).query({
    beginsWith: eventRows.prefix({ agentId: agent.id }),
    descending: true,
    limit,
  })
  const events = items.map((item) => eventRows.parse(item))
  const isWhole = events.length === limit || events.some(({ kind }) => kind === 'created')
  if (isWhole) return events
  return [...events, { at: agent.createdAt, kind: 'created', text: 'It was made', by: null }]
}

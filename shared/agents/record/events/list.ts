import type * as z from 'zod'
import {
  cursorAt,
  newestPage,
  type ListPage,
  type PageQuery,
} from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { ownerOf } from '../agent.ts'
import type { Agent } from '../record.ts'
import { agentEventRows } from '../rows.ts'
import type { agentEvent } from './schema.ts'

/** Lists an agent's events of the last 90 days, newest first. Its creation is listed as long as the agent exists. */
export async function listEvents(
  { table }: { table: Table },
  { agent, limit, cursor }: PageQuery & { agent: Agent },
): Promise<ListPage<z.input<ReturnType<typeof agentEvent>>>> {
  const store = userStore(table, ownerOf(agent))
  const beginsWith = agentEventRows.prefix({ agentId: agent.id })
  const { items, next } = await newestPage(store, { beginsWith, limit, cursor })
  const events = items.map((item) => agentEventRows.parse(item))
  const isWhole = next !== undefined || events.some(({ kind }) => kind === 'created')
  if (isWhole || limit === 0) return { items: events, next }
  const last = items.at(-1)
  // This page is full, so the creation event is on the next page.
  if (last !== undefined && events.length === limit)
    return { items: events, next: cursorAt(beginsWith, last) }
  const creation = { at: agent.createdAt, kind: 'created', text: 'Created', by: null } as const
  return { items: [...events, creation], next }
}

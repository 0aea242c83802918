import type * as z from 'zod'
import { everyItem } from '../platform/table/pages.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { pairRows } from './rows.ts'

export type AgentPair = z.output<ReturnType<(typeof pairRows)['declared']['schema']>>

/**
 * An answer of Lambda's has at most 6 MB, and a pair takes 0.2 KB of it. A hundred agents, which is what the largest plan
 * has, are 4,950 pairs.
 */
const most = 10_000

/** The pairs of a user's agents that have written to each other in the last 30 days, with the latest message of each. */
export async function listPairs(
  { table }: { table: Table },
  { userId }: { userId: string },
): Promise<AgentPair[]> {
  const store = userStore(table, userId)
  const beginsWith = pairRows.prefix()
  const pairs: AgentPair[] = []
  const all = everyItem((page) => store.query({ beginsWith, consistent: false, ...page }))
  for await (const item of all) {
    pairs.push(pairRows.parse(item))
    if (pairs.length === most) break
  }
  return pairs
}

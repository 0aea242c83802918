import type * as z from 'zod'
import { everyItem } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { pairRows } from './rows.ts'

export type AgentPair = z.output<ReturnType<(typeof pairRows)['declared']['schema']>>

/**
 * The maximum number of listed pairs: a Lambda response has at most 6 MB, and a pair has 0.2 KB. The hundred agents of
 * the largest plan form 4,950 pairs.
 */
const maxPairs = 10_000

/** Lists the pairs of a user's agents that exchanged messages in the last 30 days, with the latest message of each. */
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
    if (pairs.length === maxPairs) break
  }
  return pairs
}

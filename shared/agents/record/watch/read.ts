import { everyItem } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { platformOwner, userPartition } from '#shared/platform/table/user-store.ts'
import type { AgentRef } from '../agent.ts'
import { watchPartition, watchRows } from '../rows.ts'

/** The number of index entries per page. They are small. */
const pageSize = 1000

const userBegin = userPartition('')
const watchBegin = watchRows.prefix()

/** An agent to handle, with its place in the index. */
export interface Watch extends AgentRef {
  place: string
}

/** Yields the index entries of a shard between two places, in order. Eventually consistent. */
export async function* watchesAt(
  table: Table,
  shard: number,
  between: readonly [string, string],
): AsyncGenerator<Watch, void> {
  const pk = watchPartition(shard)
  const items = everyItem((from) =>
    table.query({ index: 'gsi1', pk, between, limit: pageSize, ...from }),
  )
  for await (const item of items) {
    const owner = item.pk.slice(userBegin.length)
    yield {
      userId: owner === platformOwner ? null : owner,
      agentId: item.sk.slice(watchBegin.length),
      place: String(item.gsi1sk),
    }
  }
}

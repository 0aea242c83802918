import { allItems, type From } from '../platform/table/pages.ts'
import type { Page, Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { type Agent, toAgent } from './agent.ts'
import { agentRows, agentShards, shardPartition } from './rows.ts'

/** A user's agents, newest first. @param query.consistent with every write that is committed */
export async function listAgents(
  { table }: { table: Table },
  { userId, consistent = false }: { userId: string; consistent?: boolean },
): Promise<Agent[]> {
  const store = userStore(table, userId)
  return living((from) =>
    store.query({ beginsWith: agentRows.prefix(), descending: true, consistent, ...from }),
  )
}

/** Every agent of the platform, newest first; the index may be a moment behind. */
export async function listAllAgents({ table }: { table: Table }): Promise<Agent[]> {
  const shards = Array.from({ length: agentShards }, (_, shard) => shardPartition(shard))
  const lists = await Promise.all(
    shards.map((pk) => living((from) => table.query({ index: 'gsi1', pk, ...from }))),
  )
  // Ids grow with time.
  return lists.flat().sort((a, b) => (a.id < b.id ? 1 : -1))
}

async function living(query: (from: From) => Promise<Page>): Promise<Agent[]> {
  const items = await allItems(query)
  return items.map(toAgent).filter((agent) => !agent.deleting)
}

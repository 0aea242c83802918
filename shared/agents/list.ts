import type { Query, Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { type Agent, agentShards, shardPartition, toAgent } from './agent.ts'

/** A user's agents, newest first. */
export async function listAgents(table: Table, userId: string): Promise<Agent[]> {
  const store = userStore(table, userId)
  return everyPage((after) => store.query({ beginsWith: 'agent#', descending: true, ...after }))
}

/** Every agent of the platform, newest first; the index may be a moment behind. */
export async function listAllAgents(table: Table): Promise<Agent[]> {
  const shards = Array.from({ length: agentShards }, (_, shard) => shardPartition(shard))
  const lists = await Promise.all(
    shards.map((pk) => everyPage((after) => table.query({ index: 'gsi1', pk, ...after }))),
  )
  // Ids grow with time.
  return lists.flat().sort((a, b) => (a.id < b.id ? 1 : -1))
}

async function everyPage(
  query: (from: Pick<Query, 'after'>) => ReturnType<Table['query']>,
): Promise<Agent[]> {
  const agents: Agent[] = []
  let from: Pick<Query, 'after'> = {}
  for (;;) {
    const { items, next } = await query(from)
    agents.push(...items.map(toAgent).filter((agent) => !agent.deleting))
    if (next === undefined) return agents
    from = { after: next }
  }
}

import {
  allItems,
  everyItem,
  type From,
  type ListPage,
  type PageQuery,
} from '#shared/platform/table/pages.ts'
import type { Item, Page, Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Agent, maxPageSize, toAgent } from './agent.ts'
import { agentRows, agentShards, shardPartition } from './rows.ts'

/**
 * Lists a user's agents, newest first.
 * @param query.consistent strongly consistent
 */
export async function listAgents(
  { table }: { table: Table },
  { userId, consistent = false }: { userId: string; consistent?: boolean },
): Promise<Agent[]> {
  const store = userStore(table, userId)
  return living((from) =>
    store.query({ beginsWith: agentRows.prefix(), descending: true, consistent, ...from }),
  )
}

/**
 * The number of rows per page of each shard. At most this many whole rows per shard are in memory, for any number of
 * agents.
 */
const pageSize = 100

/**
 * Maps all agents of the platform, newest first. Eventually consistent. Rows are discarded page by page; only the
 * results of `view` stay in memory.
 * @param view returns undefined to omit an agent
 */
export async function mapAllAgents<View>(
  { table }: { table: Pick<Table, 'query'> },
  view: (agent: Agent) => View | undefined,
): Promise<View[]> {
  const views: { id: string; as: View }[] = []
  const shards = Array.from({ length: agentShards }, (_, shard) => shardPartition(shard))
  await Promise.all(
    shards.map(async (pk) => {
      const query = { index: 'gsi1', pk, limit: pageSize } as const
      for await (const item of everyItem((from) => table.query({ ...query, ...from }))) {
        const agent = toAgent(item)
        const as = agent.deleting ? undefined : view(agent)
        if (as !== undefined) views.push({ id: agent.id, as })
      }
    }),
  )
  // Ids are ordered by creation time.
  return views.sort((a, b) => (a.id < b.id ? 1 : -1)).map(({ as }) => as)
}

/**
 * The query of a list of the agents of all users or of one user: a page with a limit or a cursor, otherwise the whole
 * list.
 */
interface AgentsQuery {
  userId: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/**
 * Maps agents, newest first: all of them, or a page if there is a limit or a cursor. The cursor is the id of the last
 * agent of the previous page.
 * @param view returns undefined to leave an agent out
 */
export async function viewAgents<View>(
  ctx: { table: Table },
  { userId, limit = Infinity, cursor }: AgentsQuery,
  view: (agent: Agent) => View | undefined,
): Promise<ListPage<View>> {
  // A plan limits the number of a user's agents, so they are all read.
  if (userId !== undefined)
    return pageOf(await listAgents(ctx, { userId }), { limit, cursor }, view)
  if (limit === Infinity && cursor === undefined)
    return { items: await mapAllAgents(ctx, view), next: undefined }
  const query = { limit: Math.min(limit, maxPageSize), cursor }
  return pageOf(newestOfAll(ctx.table, query), query, view)
}

async function pageOf<View>(
  agents: Iterable<Agent> | AsyncIterable<Agent>,
  { limit, cursor }: PageQuery,
  view: (agent: Agent) => View | undefined,
): Promise<ListPage<View>> {
  const items: View[] = []
  let last: string | undefined
  for await (const agent of agents) {
    // Ids are ordered by creation time: an id that is not below the cursor was on an earlier page.
    if (agent.deleting || (cursor !== undefined && agent.id >= cursor)) continue
    const as = view(agent)
    if (as === undefined) continue
    if (items.length === limit) return { items, next: last }
    items.push(as)
    last = agent.id
  }
  return { items, next: undefined }
}

/** Yields all agents of the platform, newest first, and reads pages only when needed. */
async function* newestOfAll(
  table: Pick<Table, 'query'>,
  { limit, cursor }: PageQuery,
): AsyncGenerator<Agent, void> {
  const between = [`${agentRows.id}_`, cursor ?? `${agentRows.id}_~`] as const
  const shards = Array.from({ length: agentShards }, (_, shard) => {
    const query = { index: 'gsi1', pk: shardPartition(shard), between, descending: true } as const
    const size = Math.min(pageSize, limit + 2)
    return everyItem((from) => table.query({ ...query, limit: size, ...from }))
  })
  const heads = await Promise.all(shards.map((shard) => shard.next()))
  for (;;) {
    const newest = heads.reduce((best, head, i) => (isNewer(head, heads[best]) ? i : best), 0)
    const { value, done } = heads[newest] ?? { done: true }
    if (done === true || value === undefined) return
    yield toAgent(value)
    heads[newest] = (await shards[newest]?.next()) ?? { done: true, value: undefined }
  }
}

type Head = IteratorResult<Item, void>

function isNewer(one: Head, other: Head | undefined): boolean {
  if (one.done === true) return false
  return (
    other === undefined ||
    other.done === true ||
    String(one.value.gsi1sk) > String(other.value.gsi1sk)
  )
}

async function living(query: (from: From) => Promise<Page>): Promise<Agent[]> {
  const items = await allItems(query)
  return items.map(toAgent).filter((agent) => !agent.deleting)
}

import type * as z from 'zod'
import { type Agent, agentShards, shardPartition } from '#shared/agents/record/agent.ts'
import { listAgents } from '#shared/agents/record/list.ts'
import { agentRecord } from '#shared/agents/record/record.ts'
import { agentRows } from '#shared/agents/record/rows.ts'
import { watchdogRecord } from '#shared/agents/watchdog/schema.ts'
import { once } from '#shared/platform/once.ts'
import { everyItem } from '#shared/platform/table/pages.ts'
import type { Query, Table } from '#shared/platform/table/port.ts'
import { containerHealth } from '../stats/health.ts'
import type { agentPage, agentQuery } from './schema.ts'

const fields = {
  id: true,
  name: true,
  userId: true,
  status: true,
  taskHealth: true,
  plan: true,
  model: true,
  deleting: true,
  createdAt: true,
} as const

/** The fields of an agent's row in lists. Configs and incidents are omitted, because they are most of the data. */
const listed = once(() =>
  agentRecord()
    .pick(fields)
    .extend({ watchdog: watchdogRecord().pick({ state: true }) }),
)

type Listed = z.output<ReturnType<typeof listed>>

/** The watchdog states of unhealthy agents. */
export const unwell = ['degraded', 'repairing', 'crash_loop'] as const

/** Returns agents of the platform or of one user, newest first. The index is eventually consistent. */
export async function pageOfAgents(
  ctx: { table: Table },
  query: z.output<typeof agentQuery>,
): Promise<z.input<typeof agentPage>> {
  const { limit, cursor } = query
  const found = await (query.userId === undefined
    ? ofPlatform(ctx.table, query)
    : ofUser(ctx, { ...query, userId: query.userId }))
  const after = found.filter(({ id }) => cursor === undefined || id < cursor)
  const agents = after.slice(0, limit)
  const next = after.length > limit ? agents.at(-1) : undefined
  return { agents: agents.map(summaryOf), nextCursor: next?.id ?? null }
}

/** Returns an agent's fields for lists. */
export function summaryOf(agent: Listed | Agent): z.input<typeof agentPage>['agents'][number] {
  const { id, name, userId, status, watchdog, plan, model, createdAt } = agent
  return {
    id,
    name,
    userId,
    status,
    health: containerHealth(agent),
    watchdog: watchdog.state,
    plan,
    model,
    createdAt,
  }
}

type AgentQuery = z.output<typeof agentQuery>

async function ofUser(
  { table }: { table: Table },
  { userId, status, failing }: AgentQuery & { userId: string },
): Promise<Agent[]> {
  const agents = await listAgents({ table }, { userId })
  return agents.filter(
    (agent) => (status === undefined || agent.status === status) && (!failing || isFailing(agent)),
  )
}

function isFailing({ status, watchdog }: Agent): boolean {
  return status === 'error' || unwell.some((state) => state === watchdog.state)
}

/** Merges the newest matches of each shard. At most one page of rows is read from each shard. */
async function ofPlatform(table: Table, query: AgentQuery): Promise<Listed[]> {
  const shards = await Promise.all(
    Array.from({ length: agentShards }, (_, shard) => ofShard(table, shard, query)),
  )
  return shards.flat().sort((a, b) => (a.id < b.id ? 1 : -1))
}

async function ofShard(table: Table, shard: number, query: AgentQuery): Promise<Listed[]> {
  // The read includes the agent of the cursor, and one more item that shows whether another page follows.
  const readLimit = query.limit + 2
  const between = [`${agentRows.id}_`, query.cursor ?? `${agentRows.id}_~`] as const
  const rows = everyItem((from) =>
    table.query({
      index: 'gsi1',
      pk: shardPartition(shard),
      between,
      descending: true,
      select: [...Object.keys(fields), 'watchdog.state'],
      // Few rows match, so each read takes a full page, as large as the pages of the watchdog.
      limit: query.failing || query.status !== undefined ? 500 : readLimit,
      ...filterOf(query),
      ...from,
    }),
  )
  const found: Listed[] = []
  for await (const row of rows) {
    found.push(listed().parse(row))
    if (found.length === readLimit) break
  }
  return found
}

function filterOf({ status, failing }: AgentQuery): Pick<Query, 'filter' | 'values'> {
  const [degraded, repairing, crashLoop] = unwell
  return {
    filter: [
      'attribute_not_exists(#deleting)',
      ...(status === undefined ? [] : ['#status = :status']),
      ...(failing ? [failingFilter] : []),
    ].join(' AND '),
    values: {
      ...(status !== undefined && { status }),
      ...(failing && { error: 'error', degraded, repairing, crashLoop }),
    },
  }
}

const failingFilter =
  '(#status = :error OR #watchdog.#state IN (:degraded, :repairing, :crashLoop))'

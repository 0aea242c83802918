import type * as z from 'zod'
import { agentShards, shardPartition } from '#shared/agents/record/agent.ts'
import { listAgents } from '#shared/agents/record/list.ts'
import { agentRecord } from '#shared/agents/record/record.ts'
import { watchdogRecord } from '#shared/agents/watchdog/schema.ts'
import { once } from '#shared/platform/once.ts'
import { everyItem } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { unwell } from './agents.ts'
import type { incidentPage, incidentQuery } from './schema.ts'

const fields = { id: true, name: true, userId: true, status: true } as const

const troubled = once(() =>
  agentRecord()
    .pick(fields)
    .extend({ watchdog: watchdogRecord().pick({ incidents: true }) }),
)

type Troubled = z.output<ReturnType<typeof troubled>>
type Incident = z.input<typeof incidentPage>['incidents'][number]

/** The number of rows of a page, as in the reads of the watchdog. */
const pageSize = 500

/**
 * Returns the watchdog's incidents, newest first; the last twenty incidents of each agent are stored. It reads the rows
 * of all agents with incidents, and has one page of them in memory.
 */
export async function pageOfIncidents(
  { table }: { table: Table },
  query: z.output<typeof incidentQuery>,
): Promise<z.input<typeof incidentPage>> {
  const found = await newestOf(agentsOf(table, query), query)
  const incidents = found.slice(0, query.limit)
  const last = found.length > query.limit ? incidents.at(-1) : undefined
  return { incidents, nextCursor: last === undefined ? null : placeOf(last) }
}

/** Returns an incident's sort position: its time, then its agent. */
function placeOf({ at, agentId }: Incident): string {
  return `${at}#${agentId}`
}

/** Returns the newest incidents before the cursor, and one more, over any number of agents. */
async function newestOf(
  agents: AsyncIterable<Troubled> | Iterable<Troubled>,
  { open, cursor, limit }: z.output<typeof incidentQuery>,
): Promise<Incident[]> {
  let found: Incident[] = []
  for await (const agent of agents) {
    const matching = incidentsOf(agent).filter(
      (each) =>
        (!open || each.resolvedAt === null) && (cursor === undefined || placeOf(each) < cursor),
    )
    if (matching.length > 0) found = newest([...found, ...matching], limit + 1)
  }
  return found
}

function newest(incidents: Incident[], most: number): Incident[] {
  return incidents.sort((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1)).slice(0, most)
}

function incidentsOf({ id, name, userId, status, watchdog }: Troubled): Incident[] {
  return watchdog.incidents.map((incident) => ({
    ...incident,
    agentId: id,
    agentName: name,
    userId,
    agentStatus: status,
  }))
}

async function* agentsOf(
  table: Table,
  { open, userId }: z.output<typeof incidentQuery>,
): AsyncGenerator<Troubled> {
  if (userId !== undefined) return yield* await listAgents({ table }, { userId })
  const [degraded, repairing, crashLoop] = unwell
  for (let shard = 0; shard < agentShards; shard++) {
    const rows = everyItem((from) =>
      table.query({
        index: 'gsi1',
        pk: shardPartition(shard),
        select: [...Object.keys(fields), 'watchdog.incidents'],
        limit: pageSize,
        filter: open
          ? 'attribute_not_exists(#deleting) AND #watchdog.#state IN (:degraded, :repairing, :crashLoop)'
          : 'attribute_not_exists(#deleting) AND size(#watchdog.#incidents) > :none',
        values: open ? { degraded, repairing, crashLoop } : { none: 0 },
        ...from,
      }),
    )
    for await (const row of rows) yield troubled().parse(row)
  }
}

import { agentShards } from '#shared/agents/record/agent.ts'
import { shardPartition } from '#shared/agents/record/rows.ts'
import { dueAgent, dueFields } from '#shared/agents/record/watch/due-agent.ts'
import { placeOf } from '#shared/agents/record/watch/place.ts'
import type { Log } from '#shared/platform/log.ts'
import { everyItem } from '#shared/platform/table/pages.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import type { CheckBatches } from './batches.ts'

/** The number of agents per page. Their rows can be large. */
const pageSize = 500

/** The minutes between the reads of two shards. Each row is read about once an hour. */
export const sweepMinutes = 4

/** The numbers of agents that a sweep found. */
export interface Swept {
  /** Agents whose index entry is wrong or missing. */
  misplaced: number
  /** Rows that cannot be parsed as an agent. The round skips them. */
  malformed: number
}

/**
 * Reads the agents' rows, one shard every few minutes, and finds agents whose index entry is wrong or missing, because
 * the previous release wrote them last. If it finds one, it reads all shards, so that the first tick after an update
 * finds all such agents. It also reads all shards if there are few rows.
 */
export async function sweepWatches(
  ctx: { table: Table; log: Log },
  batches: CheckBatches,
  minute: number,
): Promise<Swept> {
  const all: Swept = { misplaced: 0, malformed: 0 }
  if (minute % sweepMinutes !== 0) return all
  let rows = 0
  for (let n = 0; n < agentShards; n++) {
    const shard = (minute / sweepMinutes + n) % agentShards
    const { misplaced, malformed, rows: read } = await sweepShard(ctx, batches, shard)
    all.misplaced += misplaced
    all.malformed += malformed
    rows += read
    if (all.misplaced === 0 && rows >= pageSize) break
  }
  return all
}

async function sweepShard(
  { table, log }: { table: Table; log: Log },
  batches: CheckBatches,
  shard: number,
): Promise<Swept & { rows: number }> {
  const found = { misplaced: 0, malformed: 0, rows: 0 }
  const pk = shardPartition(shard)
  const items = everyItem((from) =>
    table.query({ index: 'gsi1', pk, select: dueFields, limit: pageSize, ...from }),
  )
  for await (const item of items)
    try {
      found.rows++
      const agent = dueAgent().parse(item)
      if (placeOf(agent) === agent.watched) continue
      found.misplaced++
      await batches.add({ userId: agent.userId, agentId: agent.id, dueAt: null })
    } catch (error) {
      found.malformed++
      log.error('an agent’s row cannot be read', { agentId: nameOf(item), error })
    }
  return found
}

function nameOf({ id }: Item): string {
  return typeof id === 'string' ? id : 'unknown'
}

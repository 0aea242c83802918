import { agentShards } from '../../agents/agent.ts'
import { shardPartition } from '../../agents/rows.ts'
import { dueAgent, dueFields } from '../../agents/watch/due-agent.ts'
import { placeOf } from '../../agents/watch/place.ts'
import type { Log } from '../../platform/log.ts'
import { everyItem } from '../../platform/table/pages.ts'
import type { Item, Table } from '../../platform/table/port.ts'
import type { CheckBatches } from './batches.ts'

/** Agents a page: their rows may be large. */
const pageSize = 500

/** Minutes from one shard to the next: each row is looked through about once an hour. */
export const sweepMinutes = 4

/** What the look through rows came to, in agents. */
export interface Swept {
  /** Those whose watch is not where their row says that it should be. */
  misplaced: number
  /** Rows that cannot be read as an agent; the round goes on without them. */
  malformed: number
}

/**
 * Looks through the rows themselves, a shard every few minutes, for agents whose watch is not where it should be: those that
 * the release before this one wrote last. Where it finds any, it goes on through all shards, so that after an update the
 * first tick finds all; so it does where there are few rows to look through.
 */
export async function sweep(
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
      log.error('an agent’s row cannot be read', { agentId: named(item), error })
    }
  return found
}

function named({ id }: Item): string {
  return typeof id === 'string' ? id : 'unknown'
}

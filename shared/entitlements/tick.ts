import type { Queues } from '../platform/queues/port.ts'
import type { Table } from '../platform/table/port.ts'
import { entitlementPartition, entitlementRows, entitlementShards } from './rows.ts'
import { entitlements } from './topic.ts'

interface TickContext {
  table: Table
  queues: Queues<'entitlements'>
}

/**
 * Sends a message for each user whom something is due for: a step of a lapse whose day has come, and what a process that
 * died has left. It changes nothing, so that a message that is lost is sent again.
 * @returns how many users that were
 */
export async function tickEntitlements(
  ctx: TickContext,
  now = Date.now(),
): Promise<{ due: number }> {
  const shards = Array.from({ length: entitlementShards }, (_, shard) => shard)
  const counts = await Promise.all(shards.map((shard) => tickShard(ctx, shard, now)))
  return { due: counts.reduce((sum, count) => sum + count, 0) }
}

async function tickShard(
  { table, queues }: TickContext,
  shard: number,
  now: number,
): Promise<number> {
  // `~` sorts behind the `#` that follows a time.
  const until = `${new Date(now).toISOString()}~`
  let due = 0
  let from = {}
  for (;;) {
    const { items, next } = await table.query({
      index: 'gsi1',
      pk: entitlementPartition(shard),
      between: ['0', until],
      ...from,
    })
    const users = items.map((item) => ({ userId: entitlementRows.parse(item).userId }))
    await queues.sendAll(entitlements, users)
    due += items.length
    if (next === undefined) return due
    from = { after: next }
  }
}

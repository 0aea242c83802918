import type { AuditHead } from '#shared/platform/identity/audit-entry.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import {
  auditHeadRows,
  auditHeadShards,
  headPartition,
  headIndexKey,
} from '#shared/platform/identity/rows.ts'
import type { From } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { isoOf } from '#shared/platform/times.ts'
import { headsMessage, type PublishedHead } from './published-heads.ts'

/**
 * A head that does not change is published again after this interval, so that the log contains each head several times
 * within its retention.
 */
export const againMs = 7 * 24 * 60 * 60_000

/** The number of heads in a log line: about 20 kB, far below CloudWatch's limit. */
const headsPerLine = 200

/** The number of heads in a partition whose next publication is scheduled concurrently. */
const concurrency = 20

/**
 * Writes the ends of audit chains to the log: the heads that have changed since they were last published, and all
 * others once a week. A chain that is rewritten in the table afterwards contradicts the log. A head's next publication
 * is scheduled only after its line was written, so a process that ends in between publishes it again at the next tick.
 * @param now epoch milliseconds
 */
export async function publishHeads(
  ctx: Pick<Context, 'table' | 'log'>,
  now = Date.now(),
): Promise<{ published: number }> {
  const shards = Array.from({ length: auditHeadShards }, (_, shard) => shard)
  const counts = await Promise.all(shards.map((shard) => publishShard(ctx, shard, now)))
  return { published: counts.reduce((sum, count) => sum + count, 0) }
}

async function publishShard(
  { table, log }: Pick<Context, 'table' | 'log'>,
  shard: number,
  now: number,
) {
  // `~` sorts after the `#` that follows a time.
  const due = ['0', `${isoOf(now)}~`] as const
  let published = 0
  let from: From = {}
  for (;;) {
    const query = { pk: headPartition(shard), between: due, limit: headsPerLine }
    const page = await table.query({ index: 'gsi1', ...query, ...from })
    const heads = page.items.map((item) => auditHeadRows.parse(item))
    if (heads.length > 0) log.info(headsMessage, { heads: heads.map(toPublished) })
    for (let i = 0; i < heads.length; i += concurrency)
      await Promise.all(
        heads.slice(i, i + concurrency).map((head) => scheduleNext(table, head, now)),
      )
    published += heads.length
    if (page.next === undefined) return published
    from = { after: page.next }
  }
}

function toPublished({ userId, seq, hash }: AuditHead): PublishedHead {
  return [userId, seq, hash]
}

/** Schedules the next publication of a head. A head that has changed in the meantime stays due. */
async function scheduleNext(
  table: Table,
  { userId, seq, hash }: AuditHead,
  now: number,
): Promise<void> {
  const dueAt = isoOf(now + againMs)
  await tryWrite(
    table.update(auditHeadRows.key({ userId }), {
      set: { gsi1sk: headIndexKey(userId, dueAt).gsi1sk },
      if: '#seq = :seq AND #hash = :hash',
      values: { seq, hash },
    }),
  )
}

import { unpinFiles } from '#shared/agents/files/pin.ts'
import type { WholeObjects } from '#shared/platform/objects/port.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { visitDue } from '#shared/platform/table/visit-due.ts'
import { objectOf, restoreRows, snapshotRows, snapshotsDue } from './rows.ts'
import { restoreItems } from './work/lease.ts'

/**
 * Repeats the requests of restores whose message was lost or whose process was killed. Removes expired restore points:
 * the object first, so that no object stays without its row.
 */
export async function tickRestorePoints(
  {
    table,
    queues,
    objects,
  }: { table: Table; queues: Queues<'restore-points'>; objects: WholeObjects },
  now = Date.now(),
): Promise<{ resent: number; removed: number }> {
  const resent = await restoreItems.tick({ table, queues }, now)
  const query = { partitions: snapshotsDue.partitions, now }
  const removed = await visitDue(table, query, async (items) => {
    for (const item of items) {
      const { userId, agentId, id } = snapshotRows.parse(item)
      // A restore that has begun needs its content and its files until it ends.
      const restore = await restoreRows.find(table, { userId, agentId })
      if (restore?.snapshotId === id) continue
      await unpinFiles({ table }, { userId, agentId, pinId: id }, now)
      await objects.remove(objectOf({ agentId, id }))
      await table.delete(snapshotRows.key({ userId, agentId, snapshotId: id }))
    }
    return items.length
  })
  return { resent, removed }
}

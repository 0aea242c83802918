import type { Queues } from '../platform/queues/port.ts'
import type { Table } from '../platform/table/port.ts'
import { visitDue } from '../platform/table/visit-due.ts'
import { videoPartitions, videoRows } from './rows.ts'
import { videos } from './topic.ts'

/**
 * Asks for the next turn of each video whose last one was left in the middle, or whose message was lost. It changes
 * nothing, so that what is lost again is asked for again.
 * @returns how many videos that were
 */
export async function tickVideos(
  { table, queues }: { table: Table; queues: Queues<'videos'> },
  now = Date.now(),
): Promise<{ resent: number }> {
  const resent = await visitDue(table, { partitions: videoPartitions, now }, async (items) => {
    const due = items.map((item) => {
      const { userId, id: jobId, turn } = videoRows.parse(item)
      return { userId, jobId, turn: turn + 1 }
    })
    await queues.sendAll(videos, due)
    return due.length
  })
  return { resent }
}

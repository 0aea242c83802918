import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { visitDue } from '#shared/platform/table/visit-due.ts'
import { videoPartitions, videoRows } from './rows.ts'
import { videos } from './topic.ts'

/**
 * Requests the next turn of each video whose last turn was interrupted, or whose message was lost. It changes nothing,
 * so that a lost message is requested again.
 * @returns the number of videos
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

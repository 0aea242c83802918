import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { videoWork } from './work/lease.ts'

/**
 * Requests the next turn of each video whose last turn was interrupted, or whose message was lost.
 * @returns the number of videos
 */
export async function tickVideos(
  ctx: { table: Table; queues: Queues<'videos'> },
  now = Date.now(),
): Promise<{ resent: number }> {
  return { resent: await videoWork.tick(ctx, now) }
}

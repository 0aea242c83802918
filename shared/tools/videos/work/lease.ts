import { counter } from '#shared/platform/work/fence.ts'
import { workItems } from '#shared/platform/work/items.ts'
import { videoRows, videosDue } from '../rows.ts'
import { videos } from '../topic.ts'
import type { VideoLease } from './context.ts'

/** The time after a delayed message is due when the tick treats it as lost. */
export const lostMs = 30_000

/** Longer than the response to an order takes, and than the time between two renewals. */
export const leaseMs = 90_000

type Held = Pick<VideoLease, 'id' | 'userId' | 'turn'>

/** The turns of a video. */
export const videoWork = workItems({
  rows: videoRows,
  key: ({ id: jobId, userId }: Held) => videoRows.key({ userId, jobId }),
  id: ({ id }) => id,
  due: videosDue,
  fence: counter('turn', ({ turn }: Held) => turn),
  topic: videos,
  message: ({ id: jobId, userId, turn }) => ({ userId, jobId, turn: turn + 1 }),
  leaseMs,
  lostMs,
  // A minute, the interval of the tick, less its jitter.
  resendMs: 50_000,
})

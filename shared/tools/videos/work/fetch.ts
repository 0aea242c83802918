import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import type { VideoContent, VideoProvider } from '../provider/port.ts'
import { fileOf, type Video } from '../rows.ts'
import { moveVideo, type VideoState } from '../state/move.ts'
import type { VideoLease, VideoWorkContext } from './context.ts'
import { failVideo, tooLate } from './fail.ts'
import { leaseMs, videoWork } from './lease.ts'
import { endVideo } from './save.ts'

type Ordered = Video & { state: Extract<VideoState, { step: 'ordered' }> }

/** Returns the delay between checks: short at first, because models differ in speed, and longer later. */
function waitFor(turn: number): number {
  if (turn < 5) return turn
  return turn < 60 ? 10 : 30
}

/**
 * Checks an order's progress, and copies the video when it is ready.
 * @param isLate whether to give up if the video is not ready
 */
export async function fetchVideo(
  ctx: VideoWorkContext & { provider: VideoProvider },
  video: Ordered,
  { isLate }: { isLate: boolean },
): Promise<void> {
  const progress = await ctx.provider.look(video.state.providerId)
  if (progress.kind === 'failed')
    return failVideo(ctx, video, { error: progress.message, charged: false })
  if (progress.kind === 'made') {
    const outcome = await copy(ctx, video)
    if (outcome.kind === 'copied')
      return endVideo(ctx, video, {
        state: moveVideo(video.state, { kind: 'copy', bytes: outcome.bytes }),
        charged: true,
      })
    if (outcome.kind === 'failed')
      return failVideo(ctx, video, { error: outcome.message, charged: true })
    ctx.log.warn('a video was not copied', { jobId: video.id, failed: outcome.message })
  }
  if (progress.kind === 'unclear')
    ctx.log.warn('the state of a video is unknown at the provider', {
      jobId: video.id,
      failed: progress.message,
    })
  if (isLate) return failVideo(ctx, video, { error: tooLate, charged: true })
  return videoWork.later(ctx, video, waitFor(video.turn))
}

type Copied = { kind: 'copied'; bytes: number } | Exclude<VideoContent, { kind: 'video' }>

/** Streams the video from the provider into the platform's storage. The object appears only when it is complete. */
async function copy(
  { table, provider, objectStore }: VideoWorkContext & { provider: VideoProvider },
  video: Ordered,
): Promise<Copied> {
  const content = await provider.content(video.state.providerId)
  if (content.kind !== 'video') return content
  try {
    const body = whileLeased({ table }, video, content.body)
    const bytes = await objectStore.put(fileOf(video.id), body, { contentType: 'video/mp4' })
    if (bytes === 0) return { kind: 'unclear', message: 'The video provider sent an empty video' }
    return { kind: 'copied', bytes }
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const kind = error.kind === 'too-large' ? 'failed' : 'unclear'
    return { kind, message: provider.describe(error) }
  }
}

/** Yields the bytes and renews the turn's lease. */
async function* whileLeased(
  ctx: Pick<VideoWorkContext, 'table'>,
  turn: VideoLease,
  body: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let renewAt = Date.now() + leaseMs / 3
  for await (const chunk of body) {
    if (Date.now() >= renewAt) {
      await videoWork.renew(ctx, turn)
      renewAt = Date.now() + leaseMs / 3
    }
    yield chunk
  }
}

import { LeaseLost } from '#shared/platform/work/lease-lost.ts'
import { type Video, videoRows } from '../rows.ts'
import type { VideoTurn } from '../topic.ts'
import type { VideoWorkContext } from './context.ts'
import { failVideo, tooLate, unknownOutcome } from './fail.ts'
import { fetchVideo } from './fetch.ts'
import { videoWork } from './lease.ts'
import { placeVideoOrder } from './place.ts'

/** The time after the order when a video fails, in milliseconds. */
const longestMs = 2 * 3_600_000

/** The delay after an internal error of a turn. */
const afterFaultSeconds = 30

/**
 * Carries out a video's next step. If several messages request the same turn, only one claims it. If its process dies,
 * the tick requests the next turn after the lease has expired.
 */
export async function advanceVideo(ctx: VideoWorkContext, message: VideoTurn): Promise<void> {
  const row = await videoRows.find(ctx.table, message)
  const video = row && (await videoWork.claim(ctx, row, { message }))
  if (video === undefined) return
  try {
    await step(ctx, video)
  } catch (error) {
    if (error instanceof LeaseLost) {
      ctx.log.warn('the lease of a video was lost', { jobId: video.id, turn: video.turn })
      return
    }
    ctx.log.error('a turn of a video failed', { jobId: video.id, turn: video.turn, error })
    await videoWork.later(ctx, video, afterFaultSeconds)
  }
}

async function step(ctx: VideoWorkContext, video: Video): Promise<void> {
  const { state } = video
  const { provider } = ctx
  const isLate = Date.now() - Date.parse(video.createdAt) > longestMs
  if (state.step === 'ordering')
    return failVideo(ctx, video, { error: unknownOutcome(), charged: true })
  if (isLate && (state.step === 'wanted' || provider === undefined))
    return failVideo(ctx, video, { error: tooLate, charged: state.step !== 'wanted' })
  if (provider === undefined) throw new Error('the settings of the video provider are missing')
  if (state.step === 'wanted') return placeVideoOrder({ ...ctx, provider }, { ...video, state })
  if (state.step === 'ordered')
    return fetchVideo({ ...ctx, provider }, { ...video, state }, { isLate })
}

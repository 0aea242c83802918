import type { Video } from '../rows.ts'
import type { VideoTurn } from '../topic.ts'
import type { WorkContext } from './context.ts'
import { fetchVideo } from './fetch.ts'
import { giveUp, tooLate, unknownWhether } from './give-up.ts'
import { place } from './place.ts'
import { continueLater, Overtaken, takeTurn } from './turn.ts'

/** A video that is not there by then will not come, in milliseconds from when it was ordered. */
const longestMs = 2 * 3_600_000

/** What is waited after a turn that a fault of the platform's own has ended. */
const afterFaultSeconds = 30

/**
 * Takes a video's next step. Of the same turn asked for twice, one is taken; one that its process left in the middle is
 * followed by the next when its lease is over, which the tick asks for.
 */
export async function takeUp(ctx: WorkContext, message: VideoTurn): Promise<void> {
  const video = await takeTurn(ctx, message)
  if (video === undefined) return
  try {
    await step(ctx, video)
  } catch (error) {
    if (error instanceof Overtaken) {
      ctx.log.warn('a turn of a video was overtaken', { jobId: video.id, turn: video.turn })
      return
    }
    ctx.log.error('a turn of a video failed', { jobId: video.id, turn: video.turn, error })
    await continueLater(ctx, video, afterFaultSeconds)
  }
}

async function step(ctx: WorkContext, video: Video): Promise<void> {
  const { state } = video
  const { provider } = ctx
  const isLate = Date.now() - Date.parse(video.createdAt) > longestMs
  if (state.step === 'ordering')
    return giveUp(ctx, video, { error: unknownWhether(), charged: true })
  if (isLate && (state.step === 'wanted' || provider === undefined))
    return giveUp(ctx, video, { error: tooLate, charged: state.step !== 'wanted' })
  if (provider === undefined) throw new Error('the settings of the video provider are gone')
  if (state.step === 'wanted') return place({ ...ctx, provider }, { ...video, state })
  if (state.step === 'ordered')
    return fetchVideo({ ...ctx, provider }, { ...video, state }, { isLate })
}

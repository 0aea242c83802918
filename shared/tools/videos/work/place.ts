import type { VideoProvider } from '../provider/port.ts'
import type { Video } from '../rows.ts'
import { isOpen, moveVideo, type VideoState } from '../state/move.ts'
import type { VideoWorkContext } from './context.ts'
import { failVideo, unknownOutcome } from './fail.ts'
import { videoWork } from './lease.ts'
import { endVideo, saveState } from './save.ts'

/**
 * The delays before a rejected order is sent again, by the number of attempts. The provider may request a longer delay.
 */
const waitSeconds = [2, 5, 15, 30]
const longestWaitSeconds = 120

/** The delay before the first check of an order's progress. */
const firstLookSeconds = 2

/**
 * Sends a video's order to the provider. The intent is committed first, and a process sends only an order that it
 * committed itself. The order therefore reaches the provider at most once, even if a process dies at any point.
 */
export async function placeVideoOrder(
  ctx: VideoWorkContext & { provider: VideoProvider },
  video: Video & { state: Extract<VideoState, { step: 'wanted' }> },
): Promise<void> {
  const { id: jobId, prompt, seconds, size } = video
  const ordering = { ...video, state: moveVideo(video.state, { kind: 'send' }) }
  await saveState(ctx, video, ordering.state)
  const outcome = await ctx.provider.order({ jobId, prompt, seconds, size })
  ctx.log.info('a video was ordered', { jobId, outcome: outcome.kind })
  switch (outcome.kind) {
    case 'accepted':
      await saveState(ctx, ordering, moveVideo(ordering.state, { ...outcome, kind: 'accept' }))
      return videoWork.later(ctx, video, firstLookSeconds)
    case 'turned-away': {
      const state = moveVideo(ordering.state, { kind: 'turn-away', message: outcome.message })
      if (!isOpen(state)) return endVideo(ctx, ordering, { state, charged: false })
      await saveState(ctx, ordering, state)
      return videoWork.later(ctx, video, waitFor(video.state.tries, outcome.retryAfterSeconds))
    }
    case 'refused':
      return failVideo(ctx, ordering, { error: outcome.message, charged: false })
    case 'unknown':
      return failVideo(ctx, ordering, { error: unknownOutcome(outcome.message), charged: true })
  }
}

function waitFor(tries: number, requested = 0): number {
  return Math.max(waitSeconds[tries] ?? 0, Math.min(requested, longestWaitSeconds))
}

import { HttpFailure } from '../../platform/http-client/failure.ts'
import type { Content } from '../provider/port.ts'
import { fileOf, type Video } from '../rows.ts'
import { move, type VideoState } from '../state/move.ts'
import type { Turn, ProviderContext } from './context.ts'
import { giveUp, tooLate } from './give-up.ts'
import { continueLater, end, leaseMs, renew } from './turn.ts'

type Ordered = Video & { state: Extract<VideoState, { step: 'ordered' }> }

/** What is waited between looks: short at first, as models differ, and then what a person would not notice. */
function waitFor(turn: number): number {
  if (turn < 5) return turn
  return turn < 60 ? 10 : 30
}

/**
 * Looks how an order stands, and copies the video once it is made.
 * @param isLate whether it is given up where it is not there by now
 */
export async function fetchVideo(
  ctx: ProviderContext,
  video: Ordered,
  { isLate }: { isLate: boolean },
): Promise<void> {
  const progress = await ctx.provider.look(video.state.providerId)
  if (progress.kind === 'failed')
    return giveUp(ctx, video, { error: progress.words, charged: false })
  if (progress.kind === 'made') {
    const outcome = await copy(ctx, video)
    if (outcome.kind === 'copied')
      return end(ctx, video, {
        state: move(video.state, { kind: 'copy', bytes: outcome.bytes }),
        charged: true,
      })
    if (outcome.kind === 'failed')
      return giveUp(ctx, video, { error: outcome.words, charged: true })
    ctx.log.warn('a video was not copied', { jobId: video.id, failed: outcome.words })
  }
  if (progress.kind === 'unclear')
    ctx.log.warn('the video provider does not say', { jobId: video.id, failed: progress.words })
  if (isLate) return giveUp(ctx, video, { error: tooLate, charged: true })
  return continueLater(ctx, video, waitFor(video.turn))
}

type Copied = { kind: 'copied'; bytes: number } | Exclude<Content, { kind: 'video' }>

/** Streams the video from its provider to where the platform keeps it; it is there when all of it is. */
async function copy(
  { table, provider, objects }: ProviderContext,
  video: Ordered,
): Promise<Copied> {
  const content = await provider.content(video.state.providerId)
  if (content.kind !== 'video') return content
  try {
    const body = held({ table }, video, content.body)
    const bytes = await objects.put(fileOf(video.id), body, { contentType: 'video/mp4' })
    if (bytes === 0) return { kind: 'unclear', words: 'The video provider sent an empty video' }
    return { kind: 'copied', bytes }
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const kind = error.kind === 'too-large' ? 'failed' : 'unclear'
    return { kind, words: provider.describe(error) }
  }
}

/** The same bytes; while they come, the turn is held. */
async function* held(
  ctx: Pick<ProviderContext, 'table'>,
  turn: Turn,
  body: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let renewAt = Date.now() + leaseMs / 3
  for await (const chunk of body) {
    if (Date.now() >= renewAt) {
      await renew(ctx, turn)
      renewAt = Date.now() + leaseMs / 3
    }
    yield chunk
  }
}

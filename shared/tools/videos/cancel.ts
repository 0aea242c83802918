import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { WebhookEventContext } from '#shared/signals/outbound-webhooks/emit.ts'
import { videoRows } from './rows.ts'
import { isOpen, moveVideo } from './state/move.ts'
import { endVideo, claimNext } from './work/lease.ts'

/**
 * Cancels a video whose order has not been sent yet, so that no process sends it. A sent order costs its price, whether
 * or not its user still wants it.
 * @returns false if the video has ended
 * @throws PlatformError 404, 409 NOT_CANCELLABLE after its order was sent
 */
export async function cancelVideo(
  ctx: Pick<UserContext, 'table' | 'actor'> & WebhookEventContext,
  { jobId, reason }: { jobId: string; reason: string | null },
): Promise<boolean> {
  const store = userStore(ctx.table, ctx.actor.user.id)
  for (;;) {
    const item = await store.get(videoRows.sk({ jobId }))
    if (item === undefined) throw notFound('Run')
    const video = videoRows.parse(item)
    if (!isOpen(video.state)) return false
    if (video.state.step !== 'wanted') throw sent()
    const claimed = await claimNext(ctx, video)
    if (claimed === undefined) continue
    const error = reason === null ? 'Cancelled' : `Cancelled: ${reason}`
    await endVideo(ctx, claimed, {
      state: moveVideo(claimed.state, { kind: 'cancel', error }),
      charged: false,
    })
    return true
  }
}

function sent(): PlatformError {
  const message =
    'The order of this video was sent to its provider, which does not cancel orders; GET /api/jobs/{id} shows when it is ready'
  return new PlatformError('conflict', message, { code: 'NOT_CANCELLABLE' })
}

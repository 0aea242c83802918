import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { WebhookEventContext } from '#shared/signals/outbound-webhooks/emit.ts'
import { videoRows } from './rows.ts'
import { isOpen, moveVideo } from './state/move.ts'
import { videoWork } from './work/lease.ts'
import { endVideo } from './work/save.ts'

/**
 * Cancels a video whose order has not been sent yet, so that no process sends it. A sent order costs its price even if
 * its user cancels it.
 * @returns false if the video has ended
 * @throws PlatformError 404, 409 NOT_CANCELLABLE after its order was sent
 */
export async function cancelVideo(
  ctx: Pick<UserContext, 'table' | 'owner'> & WebhookEventContext,
  { jobId, reason }: { jobId: string; reason: string | null },
): Promise<boolean> {
  const store = userStore(ctx.table, ctx.owner)
  return retryOptimistically(async () => {
    const item = await store.get(videoRows.sk({ jobId }))
    if (item === undefined) throw notFound('Run')
    const video = videoRows.parse(item)
    const { state } = video
    if (!isOpen(state)) return false
    if (state.step !== 'wanted') throw sent()
    // The current turn may send the order before this claim.
    const only = { if: '#state = :state', values: { state } }
    const claimed = await videoWork.claim(ctx, video, { only })
    if (claimed === undefined) return overtaken
    const error = reason === null ? 'Cancelled' : `Cancelled: ${reason}`
    await endVideo(ctx, claimed, {
      state: moveVideo(state, { kind: 'cancel', error }),
      charged: false,
    })
    return true
  })
}

function sent(): PlatformError {
  const message =
    'The order of this video was sent to its provider, which does not cancel orders; GET /api/jobs/{id} shows when it is ready'
  return new PlatformError('conflict', message, { code: 'NOT_CANCELLABLE' })
}

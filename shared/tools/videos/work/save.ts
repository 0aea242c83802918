import { userCount } from '#shared/accounts/users/counter.ts'
import { type QuotaRow, toQuota } from '#shared/ai/usage/quota/row.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import { decrement } from '#shared/platform/table/delete-counted.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import {
  type WebhookEventContext,
  type WebhookEvent,
  webhookParts,
} from '#shared/signals/outbound-webhooks/emit.ts'
import { runEnded } from '#shared/signals/outbound-webhooks/run-ended.ts'
import { videoRows } from '../rows.ts'
import { videoStatusOf, type VideoState } from '../state/move.ts'
import type { VideoLease, VideoWorkContext } from './context.ts'
import { costParts, holdsOf } from './cost.ts'
import { videoWork } from './lease.ts'

/**
 * Stores a video's new state in this turn, which continues.
 * @throws LeaseLost
 */
export async function saveState(
  ctx: Pick<VideoWorkContext, 'table'>,
  turn: VideoLease & { state: VideoState },
  state: VideoState,
): Promise<void> {
  const isNews = videoStatusOf(state) !== videoStatusOf(turn.state)
  const updatedAt = new Date().toISOString()
  await videoWork.save(ctx, turn, { set: { state, ...(isNews && { updatedAt }) } })
}

/**
 * Ends a video, decreases its user's count of open videos and settles its holds, in one transaction.
 * @param charged true if the provider may have created the video, which is then recorded with its price
 * @throws LeaseLost
 */
export async function endVideo(
  ctx: Pick<VideoWorkContext, 'table'> & WebhookEventContext,
  turn: VideoLease,
  { state, charged }: { state: VideoState; charged: boolean },
): Promise<void> {
  const ending = { set: { state, updatedAt: new Date().toISOString() } }
  const webhooks = await webhookParts(ctx, turn.userId, [endOf(turn, state)])
  const holds = holdsOf(turn, charged)
  const rows: (QuotaRow | undefined)[] = []
  const write = () =>
    videoWork.finish<Parts>(ctx, turn, ending, {
      account: decrement(userCount(turn.userId, videoRows)),
      ...webhooks,
      ...costParts(turn, { holds, rows, charged, success: state.step === 'completed' }),
    })
  const refusals = await retryOptimistically(async () => {
    const refused = await write()
    let isOutdated = false
    for (const i of holds.keys()) {
      const refusal = refused?.[`hold${i}`]
      if (refusal === undefined) continue
      rows[i] = toQuota(refusal.item)
      isOutdated = true
    }
    return isOutdated ? overtaken : refused
  })
  // The account was deleted in the meantime, together with its count.
  if (refusals !== undefined) await videoWork.finish(ctx, turn, ending)
}

function endOf({ id }: VideoLease, state: VideoState): WebhookEvent {
  const end =
    state.step === 'failed'
      ? ({ state: state.cancelled ? 'cancelled' : 'failed', error: state.error } as const)
      : ({ state: 'finished', error: null } as const)
  return runEnded({ runId: id, kind: 'video', ...end }, { jobId: id })
}

import { userRows } from '#shared/accounts/users/rows.ts'
import { type QuotaRow, toQuota } from '#shared/ai/usage/quota/row.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import type { Update } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import {
  type WebhookEventContext,
  type WebhookEvent,
  webhookParts,
} from '#shared/signals/outbound-webhooks/emit.ts'
import { runEnded } from '#shared/signals/outbound-webhooks/run-ended.ts'
import { videoDueIndex, type Video, videoRows } from '../rows.ts'
import { isOpen, videoStatusOf, type VideoState } from '../state/move.ts'
import { videos, type VideoTurn } from '../topic.ts'
import type { VideoLease, VideoWorkContext } from './context.ts'
import { costParts } from './cost.ts'

/** Longer than the response to an order takes, and than the time between two renewals. */
export const leaseMs = 90_000

/** The time after a delayed message is due when the tick treats it as lost. */
const lostMs = 30_000

/** The time when the tick requests a first turn whose message was lost. */
export const firstDueMs = lostMs

const keyOf = ({ id: jobId, userId }: Pick<VideoLease, 'id' | 'userId'>) =>
  videoRows.key({ userId, jobId })

/** The condition that no later turn has started. */
const leaseCondition = ({ turn }: Pick<VideoLease, 'turn'>) => ({
  if: '#turn = :turn',
  values: { turn },
})

/** Thrown if a later turn has started because this one's lease expired. */
export class VideoLeaseLost extends Error {
  constructor({ id, turn }: VideoLease) {
    super(`turn ${turn} of ${id} was overtaken`)
    this.name = 'VideoLeaseLost'
  }
}

/**
 * Claims a turn, so that only one of several messages for it continues.
 * @returns undefined for an outdated message, or if no work is left
 */
export async function claimVideo(
  { table }: Pick<VideoWorkContext, 'table'>,
  { userId, jobId, turn }: VideoTurn,
): Promise<Video | undefined> {
  const item = await table.get(videoRows.key({ userId, jobId }))
  if (item === undefined) return undefined
  const video = videoRows.parse(item)
  if (video.turn !== turn - 1 || !isOpen(video.state)) return undefined
  return claimNext({ table }, video)
}

/**
 * Claims the turn after the one that was read. The process of the earlier turn can no longer write.
 * @returns undefined if the video has changed since
 */
export async function claimNext(
  { table }: Pick<VideoWorkContext, 'table'>,
  video: Video,
): Promise<Video | undefined> {
  const turn = video.turn + 1
  const isClaimed = await tryWrite(
    table.update(keyOf(video), {
      set: { turn, ...videoDueIndex(video.id, Date.now() + leaseMs) },
      // The last turn may have written since: an order that it started must not be started again.
      if: '#turn = :turn AND #state = :state',
      values: { turn: video.turn, state: video.state },
    }),
  )
  return isClaimed ? { ...video, turn } : undefined
}

/**
 * Renews a turn's lease.
 * @throws VideoLeaseLost
 */
export async function renewVideoLease(
  { table }: Pick<VideoWorkContext, 'table'>,
  turn: VideoLease,
): Promise<void> {
  await keep({ table }, turn, { set: videoDueIndex(turn.id, Date.now() + leaseMs) })
}

/**
 * Stores a video's new state in this turn, which continues.
 * @throws VideoLeaseLost
 */
export async function saveState(
  { table }: Pick<VideoWorkContext, 'table'>,
  turn: VideoLease & { state: VideoState },
  state: VideoState,
): Promise<void> {
  const isNews = videoStatusOf(state) !== videoStatusOf(turn.state)
  const updatedAt = new Date().toISOString()
  await keep({ table }, turn, { set: { state, ...(isNews && { updatedAt }) } })
}

/**
 * Ends a turn and schedules the next one.
 * @throws VideoLeaseLost
 */
export async function continueLater(
  { table, queues }: Pick<VideoWorkContext, 'table' | 'queues'>,
  turn: VideoLease,
  seconds: number,
): Promise<void> {
  const due = Date.now() + seconds * 1000 + lostMs
  await keep({ table }, turn, { set: videoDueIndex(turn.id, due) })
  const next = { userId: turn.userId, jobId: turn.id, turn: turn.turn + 1 }
  await queues.send(videos, next, { delaySeconds: seconds })
}

/**
 * Ends a video, decreases its user's count of open videos and settles the hold, in one transaction.
 * @param charged whether the provider made or may have made it: it is then recorded with its price
 * @throws VideoLeaseLost
 */
export async function endVideo(
  ctx: Pick<VideoWorkContext, 'table'> & WebhookEventContext,
  turn: VideoLease,
  { state, charged }: { state: VideoState; charged: boolean },
): Promise<void> {
  const { table } = ctx
  const ending = {
    set: { state, updatedAt: new Date().toISOString() },
    remove: ['gsi1pk', 'gsi1sk'],
  }
  const webhooks = await webhookParts(ctx, turn.userId, [endOf(turn, state)])
  const write = (month?: QuotaRow) =>
    tryCommit(table, {
      video: { update: keyOf(turn), ...ending, ...leaseCondition(turn) },
      account: {
        update: userRows.key({ userId: turn.userId }),
        add: { [videoRows.count]: -1 },
        if: 'attribute_exists(pk)',
      },
      ...webhooks,
      ...costParts(turn, { charged, success: state.step === 'completed', month }),
    })
  let refusals = await write()
  while (refusals?.month !== undefined && refusals.video === undefined)
    refusals = await write(toQuota(refusals.month.item))
  if (refusals === undefined) return
  if (refusals.video !== undefined) throw new VideoLeaseLost(turn)
  // The account was deleted in the meantime, together with its count.
  await keep({ table }, turn, ending)
}

function endOf({ id }: VideoLease, state: VideoState): WebhookEvent {
  const end =
    state.step === 'failed'
      ? ({ state: state.cancelled ? 'cancelled' : 'failed', error: state.error } as const)
      : ({ state: 'finished', error: null } as const)
  return runEnded({ runId: id, kind: 'video', ...end }, { jobId: id })
}

async function keep(
  { table }: Pick<VideoWorkContext, 'table'>,
  turn: VideoLease,
  update: Update,
): Promise<void> {
  if (!(await tryWrite(table.update(keyOf(turn), { ...update, ...leaseCondition(turn) }))))
    throw new VideoLeaseLost(turn)
}

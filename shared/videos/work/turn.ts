import { userRows } from '../../accounts/rows.ts'
import { type TellContext, type WebhookEvent, webhookParts } from '../../outbound-webhooks/emit.ts'
import { runEnded } from '../../outbound-webhooks/run-ended.ts'
import { tryCommit } from '../../platform/table/commit.ts'
import type { Update } from '../../platform/table/port.ts'
import { written } from '../../platform/table/written.ts'
import { type QuotaRow, toQuota } from '../../usage/quota/row.ts'
import { dueIndex, type Video, videoRows } from '../rows.ts'
import { isOpen, statusOf, type VideoState } from '../state/move.ts'
import { videos, type VideoTurn } from '../topic.ts'
import type { Turn, WorkContext } from './context.ts'
import { costParts } from './cost.ts'

/** Longer than an order takes to be answered, and than goes by between two renewals. */
export const leaseMs = 90_000

/** How much longer than a delayed message takes until the tick counts it as lost. */
const lostMs = 30_000

/** When the tick asks for the first turn of a video whose message was lost. */
export const firstDueMs = lostMs

const keyOf = ({ id: jobId, userId }: Pick<Turn, 'id' | 'userId'>) =>
  videoRows.key({ userId, jobId })

/** That no later turn has begun. */
const still = ({ turn }: Pick<Turn, 'turn'>) => ({ if: '#turn = :turn', values: { turn } })

/** A turn was overtaken: its lease was over, so that a later one has begun, and that one goes on. */
export class Overtaken extends Error {
  constructor({ id, turn }: Turn) {
    super(`turn ${turn} of ${id} was overtaken`)
    this.name = 'Overtaken'
  }
}

/**
 * Takes a turn, so that of several messages that ask for it one goes on.
 * @returns undefined for a message that was overtaken, and where nothing is left to do
 */
export async function takeTurn(
  { table }: Pick<WorkContext, 'table'>,
  { userId, jobId, turn }: VideoTurn,
): Promise<Video | undefined> {
  const item = await table.get(videoRows.key({ userId, jobId }))
  if (item === undefined) return undefined
  const video = videoRows.parse(item)
  if (video.turn !== turn - 1 || !isOpen(video.state)) return undefined
  return takeNext({ table }, video)
}

/**
 * Takes the turn after the one that a video was seen in. Whoever was at that one writes nothing more.
 * @returns undefined where what was seen is no longer so
 */
export async function takeNext(
  { table }: Pick<WorkContext, 'table'>,
  video: Video,
): Promise<Video | undefined> {
  const turn = video.turn + 1
  const taken = await written(
    table.update(keyOf(video), {
      set: { turn, ...dueIndex(video.id, Date.now() + leaseMs) },
      // Its last turn may have written once more since: an order that it has begun is not to be begun again.
      if: '#turn = :turn AND #state = :state',
      values: { turn: video.turn, state: video.state },
    }),
  )
  return taken ? { ...video, turn } : undefined
}

/** Holds a turn for another while. @throws Overtaken */
export async function renew({ table }: Pick<WorkContext, 'table'>, turn: Turn): Promise<void> {
  await keep({ table }, turn, { set: dueIndex(turn.id, Date.now() + leaseMs) })
}

/** Writes what has become of a video in this turn, which goes on. @throws Overtaken */
export async function save(
  { table }: Pick<WorkContext, 'table'>,
  turn: Turn & { state: VideoState },
  state: VideoState,
): Promise<void> {
  const isNews = statusOf(state) !== statusOf(turn.state)
  const updatedAt = new Date().toISOString()
  await keep({ table }, turn, { set: { state, ...(isNews && { updatedAt }) } })
}

/** Ends a turn with the next one to come. @throws Overtaken */
export async function continueLater(
  { table, queues }: Pick<WorkContext, 'table' | 'queues'>,
  turn: Turn,
  seconds: number,
): Promise<void> {
  const due = Date.now() + seconds * 1000 + lostMs
  await keep({ table }, turn, { set: dueIndex(turn.id, due) })
  const next = { userId: turn.userId, jobId: turn.id, turn: turn.turn + 1 }
  await queues.send(videos, next, { delaySeconds: seconds })
}

/**
 * Ends a video, lowers the count of the user's open videos and settles the hold, in one transaction.
 * @param charged whether the provider made it, or may have: then it is recorded with its price
 * @throws Overtaken
 */
export async function end(
  ctx: Pick<WorkContext, 'table'> & TellContext,
  turn: Turn,
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
      video: { update: keyOf(turn), ...ending, ...still(turn) },
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
  if (refusals.video !== undefined) throw new Overtaken(turn)
  // The account was deleted meanwhile, and what it counted with it.
  await keep({ table }, turn, ending)
}

function endOf({ id }: Turn, state: VideoState): WebhookEvent {
  const end =
    state.step === 'failed'
      ? ({ state: state.cancelled ? 'cancelled' : 'failed', error: state.error } as const)
      : ({ state: 'finished', error: null } as const)
  return runEnded({ runId: id, kind: 'video', ...end }, { jobId: id })
}

async function keep(
  { table }: Pick<WorkContext, 'table'>,
  turn: Turn,
  update: Update,
): Promise<void> {
  if (!(await written(table.update(keyOf(turn), { ...update, ...still(turn) }))))
    throw new Overtaken(turn)
}

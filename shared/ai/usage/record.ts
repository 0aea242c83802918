import type { Context } from '#shared/platform/identity/context.ts'
import type { Metrics } from '#shared/platform/metrics.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { MessageOf } from '#shared/platform/queues/topic.ts'
import { within } from '#shared/platform/within.ts'
import { noteLate, noteRecorded } from '../turns/cost.ts'
import type { CompletionEvent } from './event.ts'
import { logLine } from './log-line.ts'
import { type RecordedCall, settleCall } from './settle.ts'
import { settlements } from './topic.ts'

/**
 * Records a call once, even if it is tried several times. Never throws: a response must not fail because of its record.
 * If the table is too slow, the record goes to a queue, which settles it later. When this returns, the table or the
 * queue has the record, and the end of the response can be sent. If the queue fails too, the log line of the error
 * contains the whole message, to be sent manually (docs/operate/operations.md). The call's reservation is released when it
 * expires.
 */
export async function recordUsage(
  ctx: Pick<Context, 'table' | 'log'> & { settlements: Queues<'settlements'> },
  call: RecordedCall,
  { waitMs = longestWaitMs, now = Date.now() }: { waitMs?: number; now?: number } = {},
): Promise<void> {
  const recording = recordLate(ctx, call, now).then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  const late = Promise.withResolvers<typeof slow>()
  const timer = setTimeout(() => late.resolve(slow), Math.max(0, waitMs))
  const outcome = await Promise.race([recording, late.promise])
  clearTimeout(timer)
  if (outcome === undefined) return
  ctx.log.warn('a call will be recorded later', { event: call.event.id, error: outcome.error })
  await sendOn(ctx, call, { recording, error: outcome.error })
}

/** The longest time that the end of a response waits for its record: contract.md 6. */
export const longestWaitMs = 250

const slow = { error: new Error('the table did not store the record in time') }

/** The delay of the message. If the record is written in the meantime, the job finds the event and does nothing. */
const queuedForSeconds = 5

async function sendOn(
  {
    table,
    log,
    settlements: queue,
  }: Pick<Context, 'table' | 'log'> & { settlements: Queues<'settlements'> },
  call: RecordedCall,
  { recording, error }: { recording: Promise<{ error: unknown } | undefined>; error: unknown },
): Promise<void> {
  const message = toMessage(call)
  const { turn, event } = call
  try {
    // Noted before the answer ends, so that a sale of the turn waits for the cost.
    if (turn !== undefined)
      await within(
        noteLate(table, turn, event.id).catch(() => {}),
        longestWaitMs,
      )
    await queue.send(settlements, message, { delaySeconds: queuedForSeconds })
  } catch (queueError) {
    const failure = await recording
    if (failure === undefined) return
    const reason = error instanceof Error ? error.message : String(error)
    const lost: Metrics = { by: [['function']], of: { UsageNotRecorded: [1, 'Count'] } }
    const fields = { error, queueError, settlement: JSON.stringify(message) }
    log.error(`[UsageLogger] Failed to log usage: ${reason}`, fields, lost)
  }
}

/**
 * Records a call from the queue, and then notes in its turn that the cost is no longer late.
 * @throws the errors of the table
 */
export async function recordQueued(
  ctx: Pick<Context, 'table' | 'log'>,
  call: RecordedCall,
): Promise<void> {
  await recordLate(ctx, call)
  const { turn, event } = call
  if (turn !== undefined) await noteRecorded(ctx.table, turn, event.id)
}

/**
 * Records a call whose record failed. Its log line and metrics are written once, with the record.
 * @throws the errors of the table
 */
async function recordLate(
  { table, log }: Pick<Context, 'table' | 'log'>,
  call: RecordedCall,
  now = Date.now(),
): Promise<void> {
  const { event } = call
  if (!(await settleCall({ table }, call, now))) return
  log.info(logLine(event), { model: event.model, provider: event.provider }, metricsOf(event))
}

/** Returns the queue message of a call, without rows, which are outdated by then. */
function toMessage({ reservation, drawing, ...call }: RecordedCall): MessageOf<typeof settlements> {
  const { hold } = drawing ?? {}
  return {
    ...call,
    reservation: reservation.map(({ row: _, ...hold }) => hold),
    ...(drawing && {
      drawing: {
        userId: drawing.userId,
        limit: drawing.limit,
        ...(hold && { hold: { amount: hold.amount, expiry: hold.expiry, turn: hold.turn } }),
      },
    }),
  }
}

/** Returns the metrics of a call. The sample count of each metric is the number of calls. */
function metricsOf({ inputTokens, outputTokens, costUsd, success }: CompletionEvent): Metrics {
  return {
    by: [['function'], ['provider', 'model']],
    of: {
      AiInputTokens: [inputTokens, 'Count'],
      AiOutputTokens: [outputTokens, 'Count'],
      AiCostUsd: [costUsd ?? undefined, 'None'],
      AiFailures: [success ? 0 : 1, 'Count'],
    },
  }
}

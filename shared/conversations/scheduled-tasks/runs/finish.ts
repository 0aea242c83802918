import type { Context } from '#shared/platform/identity/context.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { type WebhookEventContext, webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import { runEnded } from '#shared/signals/outbound-webhooks/run-ended.ts'
import { runRows, taskRows } from '../rows.ts'
import { releasePlaceWrite } from './places.ts'
import { runIdOf } from './run-id.ts'
import type { Run } from './run.ts'

export type RunEnd =
  | { state: 'ok'; reply: string; tokens: number | null }
  | { state: 'failed'; reason: string }
  | { state: 'cancelled'; reason: string | null }

/** Returns the status of a task's last run. */
function statusOf(end: RunEnd): string {
  return end.state === 'failed' ? `failed: ${end.reason}` : end.state
}

/**
 * Ends a run if its state has not changed, releases its slot, and stores the result in its task. If it is called
 * several times, only the first one has an effect.
 * @returns whether this call ended the run
 */
export async function finishRun(
  ctx: Pick<Context, 'table'> & WebhookEventContext,
  { run, end }: { run: Run; end: RunEnd },
): Promise<boolean> {
  const { table } = ctx
  const { userId, taskId, due } = run
  const error = end.state === 'ok' ? null : end.reason
  const state = end.state === 'ok' ? 'finished' : end.state
  const event = runEnded({ runId: runIdOf(run), kind: 'task', state, error }, { taskId, due })
  const ending = {
    run: {
      update: runRows.key(run),
      set: { ...end, endedAt: new Date().toISOString() },
      remove: ['gsi1pk', 'gsi1sk'],
      if: '#state = :seen',
      values: { seen: run.state },
    },
    place: run.state === 'started' ? releasePlaceWrite(userId) : undefined,
    ...(await webhookParts(ctx, userId, [event])),
  }
  const refusals = await tryCommit(table, {
    ...ending,
    task: {
      update: taskRows.key({ userId, taskId }),
      set: {
        lastRun: due,
        lastStatus: statusOf(end),
      },
      add: { revision: 1 },
      remove: ['activeRun', 'catchingUp'],
      if: '#activeRun = :due',
      values: { due },
    },
  })
  if (refusals === undefined) return true
  if (refusals.run !== undefined) return false
  // The task was deleted in the meantime; its run still ends.
  return (await tryCommit(table, ending)) === undefined
}

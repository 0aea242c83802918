import type { Context } from '#shared/platform/identity/context.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { isoOf } from '#shared/platform/times.ts'
import { latestRun, minuteOf, nextRun } from '../next-run.ts'
import { runRows, schedulesDue, taskRows } from '../rows.ts'
import { type ScheduledTask, transition, updateOf } from '../task.ts'
import { expiryOf, resendMs, type Run } from './run.ts'
import type { RunRef } from './topic.ts'

export interface RunClaim {
  task: ScheduledTask
  /** Epoch milliseconds. */
  now: number
  /**
   * Set if the due time waited for the end of the previous run: the delay of that run's beginning, in milliseconds.
   * Such a time was not missed.
   */
  behind?: number | undefined
}

/**
 * Claims a due run and advances the task in one transaction. If several times were missed, one run catches up the
 * latest, and a time in the current minute waits for the end of that run. Times that become due before the previous run
 * has started also wait, and run one after the other as long as they catch up; a time after its start is skipped. The
 * run's row is written before its message is sent, so that a lost message is found.
 * @returns the run, or undefined if another tick claimed it or the previous one has not ended
 */
export async function claimRun(
  { table }: Pick<Context, 'table'>,
  { task, now, behind }: RunClaim,
): Promise<RunRef | undefined> {
  const { id: taskId, userId, nextRun: planned, activeRun, catchingUp } = task
  if (planned === null || planned > isoOf(now)) return undefined
  const revision = task.revision + 1
  if (activeRun !== undefined) {
    if (catchingUp) return undefined
    const change = (await isWaiting(table, { userId, taskId, due: activeRun }))
      ? { catchingUp: true as const }
      : { nextRun: nextRun(task, new Date(now)) }
    await moveOn(table, task, { ...task, ...change, revision })
    return undefined
  }
  const minute = minuteOf(now)
  const isMissed = Date.parse(planned) < minute && behind === undefined
  // Without this, runs that take longer than their schedule's interval would be late forever.
  const catchesUp = behind !== undefined && now - Date.parse(planned) < behind
  const due = isMissed ? latestRun(task, planned, minute) : planned
  const after = catchesUp ? Date.parse(due) : Math.max(Date.parse(due), minute - 1)
  const following = nextRun(task, new Date(after))
  const isLate = catchesUp && following !== null && Date.parse(following) <= now
  const next = { ...task, nextRun: following, revision }
  const { key, keyLimits } = task
  const run: Run = {
    userId,
    taskId,
    due,
    state: 'waiting',
    seed: newSeed(now),
    ...(key !== undefined && { key }),
    ...(keyLimits !== undefined && { keyLimits }),
  }
  const row = runRows.put(run, run, {
    ...schedulesDue.at(taskId, now + resendMs),
    expiresAt: expiryOf(now),
  })
  const refusals = await tryCommit(table, {
    task: transition(task, {
      ...next,
      activeRun: due,
      catchingUp: isMissed || isLate ? true : undefined,
      lastStatus: 'running',
    }),
    run: { put: row, if: 'attribute_not_exists(pk)' },
  })
  if (refusals === undefined) return { userId, taskId, due }
  // This time has already run: another machine's clock is behind.
  if (refusals.task === undefined) await moveOn(table, task, next)
  return undefined
}

async function isWaiting(table: Table, run: RunRef): Promise<boolean> {
  const item = await table.get(runRows.key(run))
  return item !== undefined && runRows.parse(item).state === 'waiting'
}

/**
 * Advances a task without a run, so that the agent does not get the same request twice, or two requests at the same
 * time.
 */
async function moveOn(table: Table, task: ScheduledTask, next: ScheduledTask): Promise<void> {
  const { userId, id: taskId } = task
  await tryWrite(table.update(taskRows.key({ userId, taskId }), updateOf(task, next)))
}

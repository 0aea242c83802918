import type { Context } from '../../identity/context.ts'
import { newSeed } from '../../platform/ids.ts'
import { tryCommit } from '../../platform/table/commit.ts'
import type { Table } from '../../platform/table/port.ts'
import { written } from '../../platform/table/written.ts'
import { latestRun, minuteOf, nextRun } from '../next-run.ts'
import { dueIndex, runRows, taskRows } from '../rows.ts'
import { type ScheduledTask, transition, updateOf } from '../task.ts'
import { expiryOf, isoAfter, resendSeconds, type Run } from './run.ts'
import type { RunRef } from './topic.ts'

export interface Claim {
  task: ScheduledTask
  /** Epoch milliseconds. */
  now: number
  /** The time that is due had to wait for the end of a run that was caught up, so it was not missed. */
  waited?: boolean
}

/**
 * Takes the run that is due and moves the task on, both or none. Of several times that were missed while nothing ran
 * the latest is caught up, by one run, and the time of this very minute comes after it: it waits for the end of what is
 * caught up. A time that comes before the run before it has begun waits for that run as well; one that comes after it has
 * begun is passed over. The run is a row before its message is sent, so a lost message is found.
 * @returns the run, or undefined where another tick took it or the one before is still under way
 */
export async function claimRun(
  { table }: Pick<Context, 'table'>,
  { task, now, waited = false }: Claim,
): Promise<RunRef | undefined> {
  const { id: taskId, userId, nextRun: planned, activeRun, catchingUp } = task
  if (planned === null || planned > new Date(now).toISOString()) return undefined
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
  const isMissed = Date.parse(planned) < minute && !waited
  const due = isMissed ? latestRun(task, planned, minute) : planned
  const after = new Date(Math.max(Date.parse(due), minute - 1))
  const next = { ...task, nextRun: nextRun(task, after), revision }
  const run: Run = { userId, taskId, due, state: 'waiting', seed: newSeed(now) }
  const row = runRows.put(run, run, {
    ...dueIndex(taskId, isoAfter(now, resendSeconds)),
    expiresAt: expiryOf(now),
  })
  const refusals = await tryCommit(table, {
    task: transition(task, {
      ...next,
      activeRun: due,
      catchingUp: isMissed ? true : undefined,
      lastStatus: 'running',
    }),
    run: { put: row, if: 'attribute_not_exists(pk)' },
  })
  if (refusals === undefined) return { userId, taskId, due }
  // It has run: a machine whose clock is behind named the same time once more.
  if (refusals.task === undefined) await moveOn(table, task, next)
  return undefined
}

async function isWaiting(table: Table, run: RunRef): Promise<boolean> {
  const item = await table.get(runRows.key(run))
  return item !== undefined && runRows.parse(item).state === 'waiting'
}

/** Changes a task without a run: no agent is asked for the same again, nor on top of what it is still at. */
async function moveOn(table: Table, task: ScheduledTask, next: ScheduledTask): Promise<void> {
  const { userId, id: taskId } = task
  await written(table.update(taskRows.key({ userId, taskId }), updateOf(task, next)))
}

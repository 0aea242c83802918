import type { Agent } from '../../agents/agent.ts'
import { findAgent } from '../../agents/find.ts'
import { PlatformError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { withoutConflicts } from '../../platform/table/conflict.ts'
import { type Table, TransactionFailed } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { deleteTasksOf } from '../delete.ts'
import { dueIndex, findTask, type ScheduledTask } from '../task.ts'
import { finishRun } from './finish.ts'
import { hasPlace, placeTaken } from './places.ts'
import { postponeRun } from './postpone.ts'
import { isoAfter, type Run, runKey, runSeconds, runSortKey, type RunRef, toRun } from './run.ts'

export interface RunContext {
  table: Table
  log: Log
  /** Says something to an agent; its answer is in the history when it resolves. @throws PlatformError */
  ask(turn: {
    userId: string
    agentId: string
    prompt: string
    topic: string
    seed: string
  }): Promise<void>
}

/** An agent that is on its way, or a user with no place left, is asked for again after this long. */
const laterSeconds = 30

/**
 * Carries out a run once, however often its message comes: it counts as started just before the agent is asked, and a
 * started run is never begun again. An agent that is on its way is waited for, and so is a place among the user's runs;
 * any other failure is noted.
 */
export async function carryOutRun(ctx: RunContext, ref: RunRef, now = Date.now()): Promise<void> {
  const store = userStore(ctx.table, ref.userId)
  const [item, task, place] = await Promise.all([
    store.get(runSortKey(ref)),
    findTask(store, ref.taskId),
    hasPlace(store),
  ])
  const waiting = item && toRun(item)
  if (waiting?.state !== 'waiting') return
  if (task === undefined) {
    await finishRun(ctx.table, waiting, { state: 'failed', reason: 'the task was deleted' })
    return
  }
  const agent = await findAgent(ctx.table, task.agentId, ref.userId)
  if (agent === undefined) {
    await finishRun(ctx.table, waiting, { state: 'failed', reason: 'the agent was deleted' })
    await deleteTasksOf(ctx.table, ref.userId, task.agentId)
    return
  }
  if (!place || isOnItsWay(agent)) {
    await postponeRun(ctx.table, waiting, laterSeconds, now)
    return
  }
  const started = await begin(ctx.table, waiting, now)
  if (started !== undefined) await ask(ctx, task, started)
}

/** Wanted to run, and not there yet. */
function isOnItsWay({ desired, status }: Agent): boolean {
  return desired === 'running' && status !== 'running'
}

/** @returns the run, or undefined where somebody else began it or it has to wait for a place */
async function begin(table: Table, run: Run, now: number): Promise<Run | undefined> {
  const started: Run = { ...run, state: 'started', startedAt: new Date(now).toISOString() }
  const start = {
    update: runKey(run),
    set: {
      state: started.state,
      startedAt: started.startedAt,
      ...dueIndex(run.taskId, isoAfter(now, runSeconds)),
    },
    if: '#state = :waiting',
    values: { waiting: 'waiting' },
  }
  try {
    await withoutConflicts(() => table.transact([start, placeTaken(run.userId)]))
    return started
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error
    if (error.refused(0)) return undefined
    if (!error.refused(1)) throw error
    await postponeRun(table, run, laterSeconds, now)
    return undefined
  }
}

async function ask(ctx: RunContext, task: ScheduledTask, run: Run): Promise<void> {
  const { userId, agentId, prompt, id: taskId } = task
  try {
    await ctx.ask({ userId, agentId, prompt, topic: taskId, seed: run.seed })
  } catch (error) {
    if (!(error instanceof PlatformError)) ctx.log.error('a run failed', { taskId, error })
    const reason = error instanceof PlatformError ? error.message : 'something went wrong'
    await finishRun(ctx.table, run, { state: 'failed', reason })
    return
  }
  await finishRun(ctx.table, run, { state: 'ok' })
}

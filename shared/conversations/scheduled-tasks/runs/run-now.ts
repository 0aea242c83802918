import { requireAgent } from '#shared/agents/record/find.ts'
import { turnKeyOf } from '#shared/ai/turns/key.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { describeActor } from '#shared/platform/identity/actor.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { runRows, schedulesDue } from '../rows.ts'
import { requireTask, transition } from '../task.ts'
import { runIdOf } from './run-id.ts'
import { expiryOf, resendMs, type Run } from './run.ts'
import { taskRuns } from './topic.ts'

/**
 * Starts a run of a task immediately, even if the task is disabled. Its schedule does not change. The run's row is
 * written before its message is sent, so that the tick finds a lost message.
 * @returns the run's id; a retry with the same seed returns the same id
 * @throws PlatformError 404 for another user's task, 409 RUN_UNDER_WAY
 */
export async function runNow(
  {
    table,
    actor,
    owner,
    seed,
    queues,
  }: Pick<UserContext, 'actor' | 'owner' | 'table' | 'seed'> & Sends<'task-runs'>,
  { taskId }: { taskId: string },
): Promise<string> {
  const store = userStore(table, owner)
  return retryOptimistically(async () => {
    const task = await requireTask(store, taskId)
    await requireAgent({ table }, { agentId: task.agentId, owner })
    if (task.activeRun !== undefined) {
      const item = await store.get(runRows.sk({ taskId, due: task.activeRun }))
      if (item === undefined || runRows.parse(item).seed !== seed) throw underWay()
      return startRun(task.activeRun)
    }
    const now = Date.now()
    const due = isoOf(now)
    const run: Run = {
      userId: owner,
      taskId,
      due,
      state: 'waiting',
      seed,
      by: describeActor(actor),
      ...turnKeyOf({ actor }),
    }
    const row = runRows.put(run, run, {
      ...schedulesDue.at(taskId, now + resendMs),
      expiresAt: expiryOf(now),
    })
    const next = { ...task, activeRun: due, lastStatus: 'running', revision: task.revision + 1 }
    const refusals = await tryCommit(table, {
      task: transition(task, next),
      run: { put: row, if: 'attribute_not_exists(pk)' },
    })
    return refusals === undefined ? startRun(due) : overtaken
  })

  async function startRun(due: string): Promise<string> {
    await queues.send(taskRuns, { userId: owner, taskId, due })
    return runIdOf({ taskId, due })
  }
}

function underWay(): PlatformError {
  return new PlatformError('conflict', 'A run of the task is in progress', {
    code: 'RUN_UNDER_WAY',
  })
}

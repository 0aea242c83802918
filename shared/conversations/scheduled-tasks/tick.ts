import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { visitDue } from '#shared/platform/table/visit-due.ts'
import { minuteOf } from './next-run.ts'
import { runRows, schedulesDue, startedDue, taskRows } from './rows.ts'
import { claimRun } from './runs/claim.ts'
import { finishRun } from './runs/finish.ts'
import { interruptionOf, checkAgainLater } from './runs/interruption.ts'
import { postponeRun } from './runs/postpone.ts'
import { resendMs, startSeconds } from './runs/run.ts'
import { type RunRef, taskRuns } from './runs/topic.ts'
import { findTask } from './task.ts'

/**
 * Processes everything that is due: claims tasks and sends their runs, sends runs again whose message was lost, and
 * fails runs whose job was killed. Of concurrent ticks, only one claims a run.
 * @returns the number of sent runs
 */
export async function tick(
  ctx: Pick<Context, 'table' | 'log'> & Sends<'task-runs' | 'webhook-deliveries'> & Can<'clock'>,
): Promise<{ sent: number }> {
  const now = (ctx.clock ?? Date.now)()
  const send = async (items: readonly Item[]) => {
    const runs: RunRef[] = []
    for (const item of items) {
      const run = await lookAfter(ctx, item, now)
      if (run !== undefined) runs.push(run)
    }
    await ctx.queues.sendAll(taskRuns, runs)
    return runs.length
  }
  // The started runs are processed first, so that their tasks are free for the next run.
  const followUps = await visitDue(ctx.table, { partitions: startedDue.partitions, now }, send)
  const others = await visitDue(ctx.table, { partitions: schedulesDue.partitions, now }, send)
  return { sent: followUps + others }
}

/** Returns the run to send, if any. A faulty row does not stop the others. */
async function lookAfter(
  ctx: Pick<Context, 'table' | 'log'> & Sends<'task-runs' | 'webhook-deliveries'> & Can<'clock'>,
  item: Item,
  now: number,
): Promise<RunRef | undefined> {
  try {
    return item.sk.startsWith(runRows.prefix())
      ? await revive(ctx, item, now)
      : await claimRun(ctx, { task: taskRows.parse(item), now })
  } catch (error) {
    ctx.log.error('a scheduled task cannot be processed', { row: item.sk, error })
    return undefined
  }
}

/** Claims the run of this minute after the previous run has ended. The next tick catches up a missed time. */
async function claimNext(
  ctx: Pick<Context, 'table' | 'log'> & Sends<'task-runs' | 'webhook-deliveries'> & Can<'clock'>,
  { userId, taskId }: RunRef,
  now: number,
) {
  const task = await findTask(userStore(ctx.table, userId), taskId)
  if (task === undefined || Date.parse(task.nextRun ?? '') < minuteOf(now)) return undefined
  return claimRun(ctx, { task, now })
}

async function revive(
  ctx: Pick<Context, 'table' | 'log'> & Sends<'task-runs' | 'webhook-deliveries'> & Can<'clock'>,
  item: Item,
  now: number,
) {
  const run = runRows.parse(item)
  const { userId, taskId, due } = run
  if (run.state === 'started') {
    const reason = await interruptionOf(ctx, { run, now })
    if (reason === undefined) {
      await checkAgainLater(ctx, { run, now })
      return undefined
    }
    // It is unknown whether the agent received the request, and a second request could repeat its effects.
    await finishRun(ctx, { run, end: { state: 'failed', reason } })
    return claimNext(ctx, run, now)
  }
  if (now - Date.parse(due) > startSeconds * 1000) {
    await finishRun(ctx, {
      run,
      end: { state: 'failed', reason: 'it could not be started in time' },
    })
    return claimNext(ctx, run, now)
  }
  const again = await postponeRun(ctx, { run, seconds: resendMs / 1000, now })
  return again ? { userId, taskId, due } : undefined
}

import type { Context } from '../identity/context.ts'
import type { Queues } from '../platform/queues/port.ts'
import type { Item } from '../platform/table/port.ts'
import { runRows, schedulePartition, scheduleShards, taskRows } from './rows.ts'
import { claimRun } from './runs/claim.ts'
import { finishRun } from './runs/finish.ts'
import { postponeRun } from './runs/postpone.ts'
import { resendSeconds, startSeconds } from './runs/run.ts'
import { type RunRef, taskRuns } from './runs/topic.ts'

export interface TickContext extends Pick<Context, 'table' | 'log'> {
  queues: Queues<'task-runs' | 'webhook-deliveries'>
  /** Epoch milliseconds; the machine's clock unless it is given. */
  clock?: () => number
}

/**
 * One look at everything that is due: tasks are claimed and their runs sent, runs whose message was lost are sent
 * again, and runs whose job was killed in the middle are marked as failed. However many ticks run at once, a run is
 * claimed by one of them.
 * @returns how many runs were sent
 */
export async function tick(ctx: TickContext): Promise<{ sent: number }> {
  const now = (ctx.clock ?? Date.now)()
  const shards = Array.from({ length: scheduleShards }, (_, shard) => shard)
  const counts = await Promise.all(shards.map((shard) => tickShard(ctx, shard, now)))
  return { sent: counts.reduce((sum, count) => sum + count, 0) }
}

async function tickShard(ctx: TickContext, shard: number, now: number): Promise<number> {
  // `~` sorts behind the `#` that follows a time.
  const until = `${new Date(now).toISOString()}~`
  let sent = 0
  let from = {}
  for (;;) {
    const page = await ctx.table.query({
      index: 'gsi1',
      pk: schedulePartition(shard),
      between: ['0', until],
      ...from,
    })
    const runs: RunRef[] = []
    for (const item of page.items) {
      const run = await lookAfter(ctx, item, now)
      if (run !== undefined) runs.push(run)
    }
    await ctx.queues.sendAll(taskRuns, runs)
    sent += runs.length
    if (page.next === undefined) return sent
    from = { after: page.next }
  }
}

/** The run to send, if there is one. One row that is out of order does not hold up the others. */
async function lookAfter(ctx: TickContext, item: Item, now: number): Promise<RunRef | undefined> {
  try {
    return item.sk.startsWith(runRows.prefix())
      ? await revive(ctx, item, now)
      : await claimRun(ctx, { task: taskRows.parse(item), now })
  } catch (error) {
    ctx.log.error('a scheduled task cannot be looked after', { row: item.sk, error })
    return undefined
  }
}

async function revive(ctx: TickContext, item: Item, now: number) {
  const run = runRows.parse(item)
  const { userId, taskId, due } = run
  if (run.state === 'started') {
    // Whether the agent was asked cannot be known any more, and asking twice may do twice what it was asked for.
    await finishRun(ctx, { run, end: { state: 'failed', reason: 'it was interrupted' } })
    return undefined
  }
  if (now - Date.parse(due) > startSeconds * 1000) {
    await finishRun(ctx, {
      run,
      end: { state: 'failed', reason: 'it could not be started in time' },
    })
    return undefined
  }
  const again = await postponeRun(ctx, { run, seconds: resendSeconds, now })
  return again ? { userId, taskId, due } : undefined
}

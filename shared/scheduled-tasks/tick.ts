import type { Log } from '../platform/log.ts'
import type { Queues } from '../platform/queues/port.ts'
import type { Item, Table } from '../platform/table/port.ts'
import { claimRun } from './runs/claim.ts'
import { finishRun } from './runs/finish.ts'
import { postponeRun } from './runs/postpone.ts'
import { isRun, resendSeconds, type RunRef, startSeconds, toRun } from './runs/run.ts'
import { schedulePartition, scheduleShards, toTask } from './task.ts'

export interface TickContext {
  table: Table
  queues: Queues
  log: Log
}

/**
 * One look at everything that is due: tasks are claimed and their runs sent, runs whose message was lost are sent
 * again, and runs whose job was killed in the middle are marked as failed. However many ticks run at once, a run is
 * claimed by one of them.
 * @returns how many runs were sent
 */
export async function tick(ctx: TickContext, now = Date.now()): Promise<{ sent: number }> {
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
    await ctx.queues.sendAll(
      'task-runs',
      runs.map((body) => ({ body })),
    )
    sent += runs.length
    if (page.next === undefined) return sent
    from = { after: page.next }
  }
}

/** The run to send, if there is one. One row that is out of order does not hold up the others. */
async function lookAfter(ctx: TickContext, item: Item, now: number): Promise<RunRef | undefined> {
  try {
    return await (isRun(item) ? revive(ctx, item, now) : claimRun(ctx.table, toTask(item), now))
  } catch (error) {
    ctx.log.error('a scheduled task cannot be looked after', { row: item.sk, error })
    return undefined
  }
}

async function revive({ table }: TickContext, item: Item, now: number) {
  const run = toRun(item)
  const { userId, taskId, due } = run
  if (run.state === 'started') {
    // Whether the agent was asked cannot be known any more, and asking twice may do twice what it was asked for.
    await finishRun(table, run, { state: 'failed', reason: 'it was interrupted' })
    return undefined
  }
  if (now - Date.parse(due) > startSeconds * 1000) {
    await finishRun(table, run, { state: 'failed', reason: 'it could not be started in time' })
    return undefined
  }
  const again = await postponeRun(table, run, resendSeconds, now)
  return again ? { userId, taskId, due } : undefined
}

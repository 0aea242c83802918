import { isIdle } from '../agents/activity/sleep.ts'
import { type Agent, agentShards, shardPartition, toAgent } from '../agents/agent.ts'
import { missing } from '../agents/tasks/reconcile.ts'
import type { Key } from '../platform/table/port.ts'
import type { WatchdogContext } from './context.ts'
import { missedEvent } from './missed.ts'
import type { Wake } from './messages.ts'

/** Agents a message: enough to spread ten thousand over few messages, few enough to probe side by side. */
const wakesPerMessage = 25

/** Messages that may be under way: a shorter overdue step is probably just about to be taken. */
const graceMs = 10_000

/**
 * One round over every agent: it only finds those that something is due for and leaves the work to the checks queue,
 * so that its own time and memory grow with a page of agents and not with all of them.
 * @returns how many agents there are and how many were woken
 */
export async function tick(
  ctx: WatchdogContext,
  now = Date.now(),
): Promise<{ agents: number; woken: number }> {
  const shards = Array.from({ length: agentShards }, (_, shard) => shard)
  const rounds = await Promise.all(shards.map((shard) => tickShard(ctx, shard, now)))
  return {
    agents: rounds.reduce((sum, round) => sum + round.agents, 0),
    woken: rounds.reduce((sum, round) => sum + round.woken, 0),
  }
}

async function tickShard(ctx: WatchdogContext, shard: number, now: number) {
  const count = { agents: 0, woken: 0 }
  let after: (Key & Record<string, unknown>) | undefined
  do {
    const page = await ctx.table.query({
      index: 'gsi1',
      pk: shardPartition(shard),
      ...(after !== undefined && { after }),
    })
    const wakes = page.items
      .map(toAgent)
      .filter((agent) => needsWaking(agent, now))
      .map(toWake)
    await ctx.queues.sendAll('checks', inMessages(wakes))
    count.agents += page.items.length
    count.woken += wakes.length
    after = page.next
  } while (after !== undefined)
  return count
}

function needsWaking(agent: Agent, now: number): boolean {
  const { state, dueAt, unsent } = agent.watchdog
  // What is due at the next regular look is due now; other steps have a message of their own.
  const grace = state === 'running' ? 0 : graceMs
  if (dueAt !== null && dueAt + grace <= now) return true
  if (unsent.length > 0 || isIdle(agent, now)) return true
  return missing(agent, now) !== undefined || missedEvent(agent) !== undefined
}

function toWake({ userId, id, watchdog }: Agent): Wake {
  return { userId, agentId: id, dueAt: watchdog.dueAt }
}

function inMessages(wakes: Wake[]): { body: { agents: Wake[] } }[] {
  return Array.from({ length: Math.ceil(wakes.length / wakesPerMessage) }, (_, i) => ({
    body: { agents: wakes.slice(i * wakesPerMessage, (i + 1) * wakesPerMessage) },
  }))
}

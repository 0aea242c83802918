import type { AgentContext } from '../../agents/context.ts'
import { agentShards, shardPartition } from '../../agents/agent.ts'
import type { Log } from '../../platform/log.ts'
import type { Item, Key } from '../../platform/table/port.ts'
import { type DueAgent, dueAgent, dueFields } from './due-agent.ts'
import { isDue } from './due.ts'
import { type Check, type CheckMessage, checks } from './topic.ts'

/** Agents a message: enough to spread ten thousand over few messages, few enough to probe side by side. */
const checksPerMessage = 25

/** Agents a page: a round holds no more than one page of each shard, also where their rows are large. */
const pageSize = 500

export interface TickContext extends AgentContext<'checks'> {
  log: Log
}

/** What a round came to, in agents. */
export interface Round {
  agents: number
  due: number
  /** Rows that cannot be read as an agent; the round goes on without them. */
  malformed: number
}

/**
 * One round over every agent: it only finds those that something is due for and leaves the work to the checks queue,
 * so that its own time grows with the agents and its memory does not.
 */
export async function tick(ctx: TickContext, now = Date.now()): Promise<Round> {
  const shards = Array.from({ length: agentShards }, (_, shard) => shard)
  const rounds = await Promise.all(shards.map((shard) => tickShard(ctx, shard, now)))
  const total = (name: keyof Round) => rounds.reduce((sum, round) => sum + round[name], 0)
  return { agents: total('agents'), due: total('due'), malformed: total('malformed') }
}

async function tickShard(ctx: TickContext, shard: number, now: number): Promise<Round> {
  const round = { agents: 0, due: 0, malformed: 0 }
  let after: (Key & Record<string, unknown>) | undefined
  do {
    const page = await ctx.table.query({
      index: 'gsi1',
      pk: shardPartition(shard),
      select: dueFields,
      limit: pageSize,
      ...(after !== undefined && { after }),
    })
    const due: Check[] = []
    for (const item of page.items)
      try {
        const agent = dueAgent().parse(item)
        if (isDue(agent, now)) due.push(toCheck(agent))
      } catch (error) {
        round.malformed++
        ctx.log.error('an agent’s row cannot be read', { agentId: named(item), error })
      }
    await ctx.queues.sendAll(checks, inMessages(due))
    round.agents += page.items.length
    round.due += due.length
    after = page.next
  } while (after !== undefined)
  return round
}

function named({ id }: Item): string {
  return typeof id === 'string' ? id : 'unknown'
}

function toCheck({ userId, id, watchdog }: DueAgent): Check {
  return { userId, agentId: id, dueAt: watchdog.dueAt }
}

function inMessages(due: Check[]): CheckMessage[] {
  return Array.from({ length: Math.ceil(due.length / checksPerMessage) }, (_, i) => ({
    agents: due.slice(i * checksPerMessage, (i + 1) * checksPerMessage),
  }))
}

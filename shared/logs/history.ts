import type * as z from 'zod'
import type { Agent } from '../agents/agent.ts'
import { requireAgent } from '../agents/find.ts'
import { lastTasks } from '../agents/past-tasks.ts'
import type { InternalActor } from '../identity/actor.ts'
import type { Context } from '../identity/context.ts'
import type { LogLine } from '../platform/logs/port.ts'
import type { LogContext } from './context.ts'
import type { logHistory } from './schema.ts'
import { listStreams } from './stream.ts'
import { taskIdOf } from './task-id.ts'

/** Each task is a request to CloudWatch, which an account may ask 25 times a second. */
const mostTasks = 20

/**
 * The last lines of an agent, oldest first, and who is watching. Where its newest task has printed fewer than are asked
 * for, those of the tasks before it come first, of up to 20 tasks: they say why there is another.
 * @throws PlatformError 404 for an agent that is not that of the user whom the caller acts for
 */
export async function logHistoryOf(
  ctx: LogContext & Pick<Context<InternalActor>, 'actor'>,
  { agentId, limit }: { agentId: string; limit: number },
): Promise<z.input<typeof logHistory>> {
  const agent = await requireAgent(ctx, { agentId, owner: ctx.actor.userId })
  const [lines, streams] = await Promise.all([
    lastLines(ctx, agent, limit),
    listStreams(ctx, { agentId }),
  ])
  return { agentId, lines, streaming: streams.length > 0, clients: streams.length }
}

async function lastLines(
  { table, logs }: LogContext,
  agent: Agent,
  limit: number,
): Promise<LogLine[]> {
  if (limit === 0) return []
  const past = await lastTasks(table, agent, mostTasks)
  // The newest one of an agent that was started before tasks had rows is known by the agent alone.
  const arns = new Set([agent.taskArn ?? [], past.map(({ taskArn }) => taskArn)].flat())
  const parts: LogLine[][] = []
  let missing = limit
  for (const arn of arns) {
    if (missing === 0) break
    const lines = (await logs.last(taskIdOf(arn), missing))?.lines ?? []
    parts.unshift(lines)
    missing -= lines.length
  }
  return parts.flat()
}

import type * as z from 'zod'
import type { Agent } from '../agents/agent.ts'
import { requireAgent } from '../agents/find.ts'
import type { LogLine } from '../platform/logs/port.ts'
import type { LogContext } from './context.ts'
import type { logHistory } from './schema.ts'
import { listStreams } from './stream.ts'
import { taskIdOf } from './task-id.ts'

/**
 * The last lines of an agent, oldest first, and who is watching. Where its newest task has printed fewer than are asked
 * for, those of the task before it come first: they say why there is another.
 * @param owner whose agent it must be; undefined for any
 * @throws PlatformError 404
 */
export async function logHistoryOf(
  { table, logs }: LogContext,
  agentId: string,
  { owner, limit }: { owner: string | undefined; limit: number },
): Promise<z.input<typeof logHistory>> {
  const agent = await requireAgent(table, agentId, owner)
  const [lines, streams] = await Promise.all([
    lastLines(logs, agent, limit),
    listStreams(table, agentId),
  ])
  return { agentId, lines, streaming: streams.length > 0, clients: streams.length }
}

async function lastLines(
  logs: LogContext['logs'],
  { formerTaskArn, taskArn }: Agent,
  limit: number,
): Promise<LogLine[]> {
  const last = async (arn: string | undefined, wanted: number) =>
    arn === undefined || wanted === 0 ? [] : ((await logs.last(taskIdOf(arn), wanted))?.lines ?? [])
  const newest = await last(taskArn, limit)
  return [...(await last(formerTaskArn, limit - newest.length)), ...newest]
}

import type * as z from 'zod'
import { requireAgent } from '../agents/find.ts'
import type { LogContext } from './context.ts'
import type { logHistory } from './schema.ts'
import { listStreams } from './stream.ts'
import { taskIdOf } from './task-id.ts'

/**
 * The last lines of an agent's newest task, oldest first, and who is watching.
 * @param owner whose agent it must be; undefined for any
 * @throws PlatformError 404
 */
export async function logHistoryOf(
  { table, logs }: LogContext,
  agentId: string,
  { owner, limit }: { owner: string | undefined; limit: number },
): Promise<z.input<typeof logHistory>> {
  const { taskArn } = await requireAgent(table, agentId, owner)
  const [page, streams] = await Promise.all([
    taskArn === undefined || limit === 0 ? undefined : logs.last(taskIdOf(taskArn), limit),
    listStreams(table, agentId),
  ])
  return {
    agentId,
    lines: page?.lines ?? [],
    streaming: streams.length > 0,
    clients: streams.length,
  }
}

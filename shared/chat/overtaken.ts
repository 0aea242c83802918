import type { Agent } from '../agents/agent.ts'
import { isRunning } from '../agents/running.ts'
import { readAgent } from '../agents/find.ts'
import { stoppedByOperator } from '../agents/permit.ts'
import { notFound, PlatformError } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'

/**
 * Why a turn failed before a word of it was said. An agent that is stopped, replaced or deleted meanwhile fails in words
 * of its own, such as that its key is no longer good; what became of it is what the caller can do something about.
 * @returns 409 AGENT_NOT_RUNNING or STOPPED_BY_OPERATOR or 404 where that is so, else the failure itself
 */
export async function reasonOf(failure: unknown, table: Table, agent: Agent): Promise<unknown> {
  if (!(failure instanceof PlatformError && failure.kind === 'bad-gateway')) return failure
  const current = await readAgent(table, { userId: agent.userId, agentId: agent.id })
  if (current === undefined || current.deleting) return notFound('Agent')
  if (isRunning(current) && current.generation === agent.generation) return failure
  if (current.stoppedByOperator) return stoppedByOperator(current)
  return new PlatformError('conflict', 'The agent was stopped or started anew meanwhile', {
    code: 'AGENT_NOT_RUNNING',
    details: { status: current.status },
    cause: failure,
  })
}

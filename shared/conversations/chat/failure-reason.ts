import type { Agent } from '#shared/agents/record/agent.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { stoppedByOperator } from '#shared/agents/record/permit.ts'
import { isRunning } from '#shared/agents/record/running.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { Table } from '#shared/platform/table/port.ts'

/**
 * Returns why a turn failed before its first part. An agent that is stopped, replaced or deleted in the meantime fails
 * with errors of its own, for example that its key is invalid; the caller needs the agent's state instead.
 * @returns 409 AGENT_NOT_RUNNING, STOPPED_BY_OPERATOR or 404 if the agent's state is the cause, otherwise the failure
 * itself
 */
export async function reasonOf(failure: unknown, table: Table, agent: Agent): Promise<unknown> {
  if (!(failure instanceof PlatformError && failure.kind === 'bad-gateway')) return failure
  const current = await readAgent(table, { userId: agent.userId, agentId: agent.id })
  if (current === undefined || current.deleting) return notFound('Agent')
  if (isRunning(current) && current.generation === agent.generation) return failure
  if (current.stoppedByOperator) return stoppedByOperator(current)
  return new PlatformError('conflict', 'The agent was stopped or restarted in the meantime', {
    code: 'AGENT_NOT_RUNNING',
    details: { status: current.status },
    cause: failure,
  })
}

import type { Agent } from '../agents/agent.ts'
import { requireAgent } from '../agents/find.ts'
import { listAgents } from '../agents/list.ts'
import { notFound } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'

/**
 * The agent that a request means: the named one, which must be the user's own, else the newest that runs, else the
 * newest.
 * @throws PlatformError 404 where there is none
 */
export async function chooseAgent(
  table: Table,
  userId: string,
  agentId: string | undefined,
): Promise<Agent> {
  if (agentId !== undefined) return requireAgent(table, agentId, userId)
  const agents = await listAgents(table, userId)
  const chosen = agents.find(({ status }) => status === 'running') ?? agents[0]
  if (chosen === undefined) throw notFound('Agent')
  return chosen
}

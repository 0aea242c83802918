import { isAwaited } from '../agents/running.ts'
import type { Agent } from '../agents/agent.ts'
import { requireAgent } from '../agents/find.ts'
import { listAgents } from '../agents/list.ts'
import type { Table } from '../platform/table/port.ts'

/**
 * The agent that a request means: the named one, which must be the user's own, else the newest that runs, else the
 * newest that can be woken, else the newest; undefined for a user who has none.
 * @throws PlatformError 404 for a named one that is not theirs
 */
export async function chooseAgent(
  { table }: { table: Table },
  { userId, agentId }: { userId: string; agentId: string | undefined },
): Promise<Agent | undefined> {
  if (agentId !== undefined) return requireAgent({ table }, { agentId, owner: userId })
  const agents = await listAgents({ table }, { userId })
  return agents.find(({ status }) => status === 'running') ?? agents.find(isAwaited) ?? agents[0]
}

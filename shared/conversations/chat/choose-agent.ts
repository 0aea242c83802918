import type { Agent } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { listAgents } from '#shared/agents/record/list.ts'
import { isAwaited } from '#shared/agents/record/running.ts'
import type { Table } from '#shared/platform/table/port.ts'

/**
 * Selects the agent of a request: the named agent, which must belong to the user. Without a name, the newest running
 * agent, otherwise the newest that can be woken, otherwise the newest. Returns undefined if the user has no agent.
 * @throws PlatformError 404 for a named agent of another user
 */
export async function chooseAgent(
  { table, owner }: { table: Table; owner: string },
  { agentId }: { agentId: string | undefined },
): Promise<Agent | undefined> {
  if (agentId !== undefined) return requireAgent({ table }, { agentId, owner })
  const agents = await listAgents({ table }, { userId: owner })
  return agents.find(({ status }) => status === 'running') ?? agents.find(isAwaited) ?? agents[0]
}

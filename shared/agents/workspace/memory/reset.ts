import { checks } from '#shared/agents/fleet/watchdog/topic.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext } from '#shared/agents/record/context.ts'
import { changeWorkspace } from '../change.ts'

/**
 * Deletes an agent's notes and conversations. From then on no response contains them: the stored rows count as older,
 * and the container is reset by the check that this requests, or before the next turn at the latest. The chat's
 * history, which belongs to the user, stays.
 * @returns the current agent
 * @throws PlatformError 404 if the agent is deleted
 */
export async function resetMemory(
  { table, queues }: AgentContext<'checks'>,
  { agent }: { agent: Agent },
): Promise<Agent> {
  const resetAt = new Date().toISOString()
  const forgot = await changeWorkspace(
    { table },
    {
      agent,
      plan: async ({ revision }) => ({
        rows: [],
        state: { reset: revision, resetAt, notes: 0, characters: 0 },
      }),
    },
  )
  await queues.send(checks, {
    agents: [{ userId: agent.userId, agentId: agent.id, dueAt: null }],
  })
  return forgot
}

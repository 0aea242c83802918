import type { Agent } from '../../agents/agent.ts'
import type { AgentContext } from '../../agents/context.ts'
import { checks } from '../../fleet/watchdog/topic.ts'
import { changeWorkspace } from '../change.ts'

/**
 * Makes an agent forget its notes and its conversations. From here on no answer shows them: the rows say that they are
 * older than this, and the container is told by the check that this sends, and before the next turn at the latest. What was said stays in the chat's history, which is the user's.
 * @returns the agent as it is then
 * @throws PlatformError 404 where the agent is gone
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

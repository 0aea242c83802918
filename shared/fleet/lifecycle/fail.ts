import type { Agent } from '../../agents/agent.ts'
import { changeAgent } from '../../agents/change.ts'
import type { AgentContext } from '../../agents/context.ts'
import { sendStops } from '../provisioning/messages.ts'
import { failed } from './end.ts'

/**
 * Gives an agent up: status `error`, nothing starts it again but a person. Ignored where the agent has gone on to
 * another generation than the caller saw.
 *
 * @param input.reason why; what ECS said of the end of its task says more, and stays
 */
export async function failAgent(
  { table, queues, log }: AgentContext,
  { agent, reason }: { agent: Agent; reason: { code: string; text: string } },
  now = Date.now(),
): Promise<Agent | undefined> {
  const stop = { ...reason, exitCode: null, at: new Date(now).toISOString() }
  const stored = await changeAgent(
    { table, queues, log },
    {
      agent,
      decide: (current) => {
        if (current.generation !== agent.generation || current.desired !== 'running') return current
        const said = current.taskStatus === 'STOPPED' ? current.stopReason : undefined
        return failed(current, said ?? stop)
      },
    },
  )
  if (stored?.desired === 'stopped') await sendStops(queues, stored)
  return stored
}

import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import type { AgentContext } from '#shared/agents/record/context.ts'
import { isoOf } from '#shared/platform/times.ts'
import { sendStops } from '../requests/send.ts'
import { asFailed } from '../states/end.ts'

/**
 * Marks an agent as failed: status `error`, and only a person can start it again. Does nothing if the agent has another
 * generation than the caller read.
 * @param input.reason the reason; an existing stop reason from ECS is more precise and is not replaced
 */
export async function failAgent(
  { table, queues, log }: AgentContext,
  { agent, reason }: { agent: Agent; reason: { code: string; text: string } },
  now = Date.now(),
): Promise<Agent | undefined> {
  const stop = { ...reason, exitCode: null, at: isoOf(now) }
  const stored = await changeAgent(
    { table, queues, log },
    {
      agent,
      decide: (current) => {
        if (current.generation !== agent.generation || current.desired !== 'running') return current
        const taskReason = current.taskStatus === 'STOPPED' ? current.stopReason : undefined
        return asFailed(current, taskReason ?? stop)
      },
    },
  )
  if (stored?.desired === 'stopped') await sendStops(queues, stored)
  return stored
}

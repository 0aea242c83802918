import type { Agent } from '../agent.ts'
import { changeAgent } from '../change.ts'
import type { AgentContext } from '../context.ts'
import { healthy } from './observe.ts'

/**
 * Moves an agent to running because its gateway answers. A word about an earlier generation, or one that comes after
 * the task's end, changes nothing.
 * @param react further changes for the same write, pure
 * @returns whether the agent was not running before, and how it is now; undefined where it is gone
 */
export async function markHealthy(
  { table }: Pick<AgentContext, 'table'>,
  agent: Agent,
  generation: number,
  react: (agent: Agent) => Agent = (next) => next,
): Promise<{ agent: Agent; change: 'healthy' | 'none' } | undefined> {
  let change: 'healthy' | 'none' = 'none'
  const stored = await changeAgent(table, agent, (current) => {
    change = 'none'
    if (!runs(current, generation)) return current
    if (current.status === 'running') return react(current)
    change = 'healthy'
    return react(healthy(current))
  })
  return stored && { agent: stored, change }
}

function runs(agent: Agent, generation: number): boolean {
  return (
    agent.generation === generation &&
    agent.desired === 'running' &&
    agent.taskArn !== undefined &&
    agent.taskStatus !== 'STOPPED'
  )
}

import type { Agent } from '#shared/agents/record/agent.ts'

/** Returns whether an agent should have a task and has none. */
export function wantsTask(agent: Agent): boolean {
  return agent.desired === 'running' && agent.taskArn === undefined && !agent.deleting
}

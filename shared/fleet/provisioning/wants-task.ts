import type { Agent } from '../../agents/agent.ts'

/** Whether an agent is to have a task and has none. */
export function wantsTask(agent: Agent): boolean {
  return agent.desired === 'running' && agent.taskArn === undefined && !agent.deleting
}

import { isRunning } from './running.ts'
import type { Agent } from './agent.ts'
import { isFilled } from './workspace-state.ts'

/** Whether an agent that can be spoken to has yet to be given some of its memory or skills. */
export function lacksWorkspace(agent: Agent): boolean {
  return isRunning(agent) && !isFilled(agent)
}

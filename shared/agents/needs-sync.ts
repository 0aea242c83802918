import { isRunning } from './running.ts'
import type { Agent } from './agent.ts'
import { isSynced } from './workspace-state.ts'

/** Whether an agent that can be spoken to has yet to be given some of its memory or skills. */
export function needsSync(agent: Agent): boolean {
  return isRunning(agent) && !isSynced(agent)
}

import type { Agent } from './agent.ts'
import { isRunning } from './running.ts'
import { isSynced } from './workspace-state.ts'

/** Returns whether a running agent still lacks some of its memory or skills. */
export function needsSync(agent: Agent): boolean {
  return isRunning(agent) && !isSynced(agent)
}

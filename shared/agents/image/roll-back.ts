import type { Agent } from '../agent.ts'
import { nextGeneration } from '../lifecycle/generation.ts'

/** Whether an agent's image has still to show that it works. */
export function isOnTrial({ trial, desired }: Agent): boolean {
  return trial !== undefined && desired === 'running'
}

/** The agent on its way back from an image that failed to the one before it. */
export function rolledBack(agent: Agent): Agent {
  const pinnedImage = agent.trial?.pin ?? undefined
  return nextGeneration({ ...agent, pinnedImage, trial: undefined })
}

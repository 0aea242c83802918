import type { Agent } from '../agent.ts'
import { isOnChannels } from './channels.ts'

/** Minutes without work after which an agent sleeps whose config says nothing of it; docs/costs.md reckons with them. */
export const defaultSleepAfterMinutes = 15

/** Minutes without work after which an agent sleeps; undefined for one that never does, such as one on a chat service. */
export function sleepAfter(agent: Agent): number | undefined {
  const { sleepAfterMinutes: given } = agent.config
  if (isOnChannels(agent)) return undefined
  if (typeof given === 'number' && given > 0) return given
  return agent.sleepsByDefault ? defaultSleepAfterMinutes : undefined
}

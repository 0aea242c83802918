import type { Agent } from '../agent.ts'
import { hasOwnBot } from './channels.ts'

/** The default idle minutes before an agent sleeps. docs/operate/costs.md uses the same default. */
export const defaultSleepAfterMinutes = 15

/**
 * Returns the idle minutes before an agent sleeps. Undefined if it never sleeps, such as an agent whose container runs a bot.
 */
export function sleepAfter(agent: Agent): number | undefined {
  const { sleepAfterMinutes: minutes } = agent.config
  if (hasOwnBot(agent)) return undefined
  if (typeof minutes === 'number' && minutes > 0) return minutes
  return agent.sleepsByDefault ? defaultSleepAfterMinutes : undefined
}

import { forgiven, rested } from '../../watchdog/forgive.ts'
import type { Agent } from '../../agents/agent.ts'

/**
 * Tells an agent's watchdog that a person started or stopped it: its crashes are forgiven, or it rests. Its own config
 * is tried again, too.
 * @returns a change for the write that starts or stops the agent
 */
export function byPerson(type: 'started' | 'stopped', now = Date.now()) {
  const settle = type === 'started' ? forgiven : rested
  return (agent: Agent): Agent => ({
    ...agent,
    fallenBack: undefined,
    watchdog: settle(agent.watchdog, now),
  })
}

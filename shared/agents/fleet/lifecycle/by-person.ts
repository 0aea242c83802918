import type { Agent } from '#shared/agents/record/agent.ts'
import { withoutFailures, rested } from '#shared/agents/watchdog/forgive.ts'

/**
 * Returns the change for a start or stop by a person: after a start the watchdog ignores earlier crashes, after a stop
 * it pauses. The agent's own config is tried again.
 * @returns a change for the write that starts or stops the agent
 */
export function byPerson(type: 'started' | 'stopped', now = Date.now()) {
  const settle = type === 'started' ? withoutFailures : rested
  return (agent: Agent): Agent => ({
    ...agent,
    fallenBack: undefined,
    watchdog: settle(agent.watchdog, now),
  })
}

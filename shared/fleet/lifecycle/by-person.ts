import type { WatchdogSettings } from '../../watchdog/settings.ts'
import { transition } from '../../watchdog/transition.ts'
import type { Agent } from '../../agents/agent.ts'

/**
 * Tells an agent's watchdog that a person started or stopped it: its crashes are forgiven, or it rests. Its own config
 * is tried again, too.
 * @returns a change for the write that starts or stops the agent
 */
export function byPerson(
  { config }: { config: WatchdogSettings },
  type: 'started-by-person' | 'stopped-by-person',
  now = Date.now(),
) {
  return (agent: Agent): Agent => ({
    ...agent,
    fallenBack: undefined,
    watchdog: transition(agent.watchdog, { type }, config, now).watchdog,
  })
}

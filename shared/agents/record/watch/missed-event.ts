import type { WatchdogEvent } from '#shared/agents/watchdog/event.ts'
import { causeOf } from './cause.ts'
import type { DueAgent } from './due-agent.ts'

/**
 * Returns an event in an agent's row that its watchdog has not handled. Events need not be handled immediately: the
 * next check that reads the row finds them, so an interrupted event is not lost.
 */
export function missedEvent(agent: DueAgent): WatchdogEvent | undefined {
  const { desired, status, watchdog } = agent
  if (desired === 'stopped') {
    if (status === 'error') return refusal(agent)
    return watchdog.state === 'stopped' ? undefined : { type: 'stopped-by-person' }
  }
  // The watchdog does not start agents in these states, so a person must have started it.
  if (watchdog.state === 'stopped' || watchdog.state === 'crash_loop')
    return { type: 'started-by-person' }
  if (agent.taskStatus === 'STOPPED') return endOf(agent)
  if (agent.taskStatus === 'RUNNING' && watchdog.generation !== agent.generation)
    return { type: 'task-started', generation: agent.generation }
  if (status === 'running' && watchdog.state === 'starting') return { type: 'check-passed' }
  return undefined
}

/** The watchdog does not give up a starting agent, so its start was rejected. */
function refusal({ watchdog, stopReason }: DueAgent): WatchdogEvent | undefined {
  if (watchdog.state !== 'starting' || stopReason === undefined) return undefined
  return { type: 'start-refused', cause: causeOf(stopReason) }
}

/**
 * Stop codes of ends that are not the agent's fault: AWS reclaimed its host, or an operator stopped the task in AWS.
 */
const blameless = new Set(['TerminationNotice', 'SpotInterruption', 'UserInitiated'])

function endOf({ stopReason, watchdog }: DueAgent): WatchdogEvent | undefined {
  // A repair that stops the task expects this end.
  if (stopReason === undefined || watchdog.repair === 'stopping') return undefined
  if (blameless.has(stopReason.code)) return { type: 'host-lost' }
  return { type: 'crashed', cause: causeOf(stopReason) }
}

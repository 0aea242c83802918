import type { WatchdogEvent } from '../../watchdog/event.ts'
import { causeOf } from './cause.ts'
import type { DueAgent } from './due-agent.ts'

/**
 * What an agent's row says has happened that its watchdog does not know of. Nothing has to be handled the moment it
 * happens: the next check that reads the row finds it, so an event whose handling was cut short is not lost.
 */
export function missedEvent(agent: DueAgent): WatchdogEvent | undefined {
  const { desired, status, watchdog } = agent
  if (desired === 'stopped') {
    if (status === 'error') return refusal(agent)
    return watchdog.state === 'stopped' ? undefined : { type: 'stopped-by-person' }
  }
  // The watchdog itself starts nothing from these, so a person must have.
  if (watchdog.state === 'stopped' || watchdog.state === 'crash_loop')
    return { type: 'started-by-person' }
  if (agent.taskStatus === 'STOPPED') return endOf(agent)
  if (agent.taskStatus === 'RUNNING' && watchdog.generation !== agent.generation)
    return { type: 'task-started', generation: agent.generation }
  if (status === 'running' && watchdog.state === 'starting') return { type: 'check-passed' }
  return undefined
}

/** The watchdog gives up nothing that is starting, so its start was refused. */
function refusal({ watchdog, stopReason }: DueAgent): WatchdogEvent | undefined {
  if (watchdog.state !== 'starting' || stopReason === undefined) return undefined
  return { type: 'start-refused', cause: causeOf(stopReason) }
}

/** Ends that are no fault of the agent's: its machine was taken, or an operator stopped the task in AWS. */
const blameless = new Set(['TerminationNotice', 'SpotInterruption', 'UserInitiated'])

function endOf({ stopReason, watchdog }: DueAgent): WatchdogEvent | undefined {
  // A repair that stops the task itself expects just this.
  if (stopReason === undefined || watchdog.repair === 'stopping') return undefined
  if (blameless.has(stopReason.code)) return { type: 'host-lost' }
  return { type: 'crashed', cause: causeOf(stopReason) }
}

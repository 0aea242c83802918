import type { WebhookEvent } from './emit.ts'

interface EndedRun {
  /** The id of the run in `/api/runs`. */
  runId: string
  kind: 'turn' | 'task' | 'swarm' | 'video' | 'provisioning'
  state: 'finished' | 'failed' | 'cancelled'
  /** The reason of a failure; null also for a cancellation without a reason. */
  error: string | null
}

/** Returns the event for the end of a run, with additional data. A cancelled run counts as failed. */
export function runEnded(run: EndedRun, more: Readonly<Record<string, unknown>>): WebhookEvent {
  const type = run.state === 'finished' ? 'run.finished' : 'run.failed'
  return { type, data: { ...run, ...more } }
}

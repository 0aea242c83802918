import type { WebhookEvent } from './emit.ts'

interface EndedRun {
  /** Its id in `/api/runs`. */
  runId: string
  kind: 'turn' | 'task' | 'swarm' | 'video' | 'provisioning'
  state: 'finished' | 'failed' | 'cancelled'
  /** Why it did not finish; null also where a cancellation gave no reason. */
  error: string | null
}

/** That a run has ended, with what else is to be known of it: one that was cancelled has failed. */
export function runEnded(run: EndedRun, more: Readonly<Record<string, unknown>>): WebhookEvent {
  const type = run.state === 'finished' ? 'run.finished' : 'run.failed'
  return { type, data: { ...run, ...more } }
}

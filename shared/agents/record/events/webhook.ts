import { openIncident } from '#shared/agents/watchdog/incidents.ts'
import type { WebhookEvent } from '#shared/signals/outbound-webhooks/emit.ts'
import { runEnded } from '#shared/signals/outbound-webhooks/run-ended.ts'
import type { WebhookEventType } from '#shared/signals/outbound-webhooks/types.ts'
import type { Agent } from '../record.ts'
import { startRunId } from '../start-run-id.ts'

/**
 * Returns the webhook events of one change of an agent's row. An incident causes one crash event, no matter how often
 * its container ends or stops responding.
 */
export function webhookEventsOf(before: Agent, after: Agent): WebhookEvent[] {
  const { id: agentId, name, status, stopReason } = after
  const cause = openIncident(after.watchdog)?.cause ?? stopReason?.text ?? null
  const data = { agentId, name, status, cause }
  const events = typesOf(before, after).map((type) => ({ type, data }))
  const start = endOfStart(before, after, cause)
  return start === undefined ? events : [...events, start]
}

/** The end of the agent's start, with its result. */
function endOfStart(before: Agent, after: Agent, cause: string | null): WebhookEvent | undefined {
  const isSameStart = after.status === 'provisioning' && after.generation === before.generation
  if (before.status !== 'provisioning' || before.deleting || (isSameStart && !after.deleting))
    return undefined
  const { id: agentId, generation } = before
  const state = after.deleting ? 'cancelled' : (ends[after.status] ?? 'cancelled')
  const runId = startRunId({ agentId, generation })
  const error = state === 'finished' ? null : cause
  return runEnded({ runId, kind: 'provisioning', state, error }, { agentId })
}

const ends: Partial<Record<Agent['status'], 'finished' | 'failed'>> = {
  running: 'finished',
  error: 'failed',
}

function typesOf(before: Agent, after: Agent): WebhookEventType[] {
  if (after.deleting) return before.deleting ? [] : ['agent.deleted']
  const types: WebhookEventType[] = []
  if (isDown(after) && !isDown(before)) types.push('agent.crashed')
  if (isDown(before) && !isDown(after) && after.watchdog.state === 'running')
    types.push('agent.repaired')
  if (after.status !== before.status) {
    if (after.status === 'running') types.push('agent.running')
    if (after.status === 'stopped') types.push('agent.stopped')
    if (after.status === 'error') types.push('agent.given_up')
  }
  return types
}

/** Returns whether the watchdog has repaired or given up the agent. A single failed check does not count. */
function isDown({ watchdog, status }: Agent): boolean {
  const open = openIncident(watchdog)
  return open !== undefined && (open.step !== 'detected' || status === 'error')
}

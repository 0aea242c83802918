import type { WebhookEvent } from '#shared/signals/outbound-webhooks/emit.ts'
import type { Approval } from './approval.ts'
import { viewOf } from './view.ts'

/** Returns the event for an approval that waits for a decision. */
export function requestedEvent(approval: Approval): WebhookEvent {
  return { type: 'approval.requested', data: { approval: eventData(approval) } }
}

/** Returns the event for a decided approval. */
export function decidedEvent(approval: Approval): WebhookEvent {
  return { type: 'approval.decided', data: { approval: eventData(approval) } }
}

/** Leaves out `details`, which can contain the agent's data. */
function eventData(approval: Approval) {
  const { details: _, ...data } = viewOf(approval)
  return data
}

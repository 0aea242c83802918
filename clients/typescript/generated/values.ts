/** Written by `npm run api` from the routes of the web surface. */

import type { WebhookEventType } from './types.ts'

export const webhookEventTypes = [
  "agent.running",
  "agent.stopped",
  "agent.crashed",
  "agent.repaired",
  "agent.given_up",
  "agent.deleted",
  "run.finished",
  "run.failed",
  "spend.threshold",
  "quota.threshold",
  "key.created",
  "key.deleted",
  "subscription.changed",
  "split.completed",
  "split.failed",
  "ping",
  "storage.full",
  "approval.requested",
  "approval.decided",
] as const satisfies WebhookEventType[]

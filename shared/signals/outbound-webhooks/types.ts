/** The event types of users' webhook endpoints: contract.md 11. */
export const webhookEventTypes = [
  'agent.running',
  'agent.stopped',
  'agent.crashed',
  'agent.repaired',
  'agent.given_up',
  'agent.deleted',
  'run.finished',
  'run.failed',
  'spend.threshold',
  'quota.threshold',
  'storage.full',
  'key.created',
  'key.deleted',
  'subscription.changed',
  'split.completed',
  'split.failed',
  'ping',
] as const

export type WebhookEventType = (typeof webhookEventTypes)[number]

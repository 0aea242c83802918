/** The event types that the last release reads in rows. */
export const storedTypes = [
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
  'key.created',
  'key.deleted',
  'subscription.changed',
  'split.completed',
  'split.failed',
  'ping',
] as const

/**
 * The event types that the last release does not know. Rows store them in separate attributes, which the last release
 * ignores. A type moves to `storedTypes` in the next release.
 */
export const newerTypes = ['storage.full', 'approval.requested', 'approval.decided'] as const

type StoredType = (typeof storedTypes)[number]
type NewerType = (typeof newerTypes)[number]

export type WebhookEventType = StoredType | NewerType

/** The event types of users' webhook endpoints: contract.md 11. */
export const webhookEventTypes = [...storedTypes, ...newerTypes] as const

function isNewer(type: WebhookEventType): type is NewerType {
  return newerTypes.some((newer) => newer === type)
}

/** Returns the attributes of an endpoint's row for its event types. */
export function eventAttributes(types: readonly WebhookEventType[]) {
  const newerEvents = types.filter(isNewer)
  return {
    events: types.filter((type): type is StoredType => !isNewer(type)),
    ...(newerEvents.length > 0 && { newerEvents }),
  }
}

/** Returns the event types in an endpoint's row. */
export function eventsOf({
  events,
  newerEvents = [],
}: {
  events: readonly StoredType[]
  newerEvents?: readonly NewerType[] | undefined
}): WebhookEventType[] {
  return [...events, ...newerEvents]
}

/** Returns the attributes of a delivery's row for its event type. The last release lists a newer type as a ping. */
export function typeAttributes(type: WebhookEventType): {
  type: StoredType
  newerType?: NewerType
} {
  return isNewer(type) ? { type: 'ping', newerType: type } : { type }
}

/** Returns the event type in a delivery's row. */
export function typeOf({
  type,
  newerType,
}: {
  type: StoredType
  newerType?: NewerType | undefined
}): WebhookEventType {
  return newerType ?? type
}

import type { Agent } from '#shared/agents/record/agent.ts'
import { deliveriesDue, type messageRows } from '../rows.ts'

export type OutstandingWork = NonNullable<ReturnType<typeof messageRows.parse>['open']>

/** The outstanding work of a message, with its current attempt. */
export interface DeliveryAttempt {
  messageId: string
  open: OutstandingWork
}

/** Longer than an attempt takes. An older attempt was interrupted, and the tick starts the next. */
export const leaseMs = 30_000

/** Returns the work that remains after a message's acceptance, or undefined if only the inbox is used. */
export function outstandingFor(recipient: Agent, text: string): OutstandingWork | undefined {
  const { userId, config } = recipient
  if (typeof config.webhookUrl === 'string') return { what: 'deliver', userId, attempts: 1, text }
  return wakesFor(recipient) ? { what: 'wake', userId, attempts: 1 } : undefined
}

/** Reports whether a message wakes the agent. */
export function wakesFor({ asleep, config }: Agent): boolean {
  return asleep === true && config.wakeOnMessage === true
}

/** Returns the attributes of a message's row with its outstanding work and its due time for the tick. */
export function openAttributes(messageId: string, open: OutstandingWork | undefined, due: number) {
  return open === undefined ? {} : { open, ...deliveriesDue.at(messageId, due) }
}

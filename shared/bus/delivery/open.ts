import type { Agent } from '../../agents/agent.ts'
import { dueIndex, type messageRows } from '../rows.ts'

export type Open = NonNullable<ReturnType<typeof messageRows.parse>['open']>

/** What is left to do for a message, with the try of it that is under way. */
export interface Attempt {
  messageId: string
  open: Open
}

/** Longer than a try takes: one that has not ended by then was cut short, and the tick begins the next. */
export const leaseMs = 30_000

/** What a message's acceptance leaves to do; undefined where the inbox is all. */
export function openFor(recipient: Agent, text: string): Open | undefined {
  const { userId, config } = recipient
  if (typeof config.webhookUrl === 'string') return { what: 'deliver', userId, attempts: 1, text }
  return wakesFor(recipient) ? { what: 'wake', userId, attempts: 1 } : undefined
}

/** Whether a message wakes an agent. */
export function wakesFor({ asleep, config }: Agent): boolean {
  return asleep === true && config.wakeOnMessage === true
}

/** The attributes of a message's row with what is left to do for it, and when the tick looks after it. */
export function openAttributes(messageId: string, open: Open | undefined, due: number) {
  return open === undefined ? {} : { open, ...dueIndex(messageId, due) }
}

/** That no later try has begun, and nothing has ended it. */
export function still({ attempts }: Open) {
  return { if: '#open.#attempts = :attempts', values: { attempts } }
}

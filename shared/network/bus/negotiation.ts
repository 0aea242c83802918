import type { AgentMessage } from '#shared/money/agent-message/message.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'

/** A message for a negotiation: verified, recent, and between two existing agents. */
export interface ReceivedMessage {
  message: AgentMessage
  /** The owners of the agents; null for an agent of the platform. */
  sender: { id: string; userId: string | null }
  recipient: { id: string; userId: string | null }
  /** The time of receipt, in epoch milliseconds. */
  now: number
}

/**
 * Decides the effect of a message from the current rows: contract.md 9, Negotiation. If one of its writes is rejected
 * because of a concurrent message, it runs again.
 * @returns writes for the transaction that accepts the message, each on condition that the rows have not changed
 * @throws PlatformError 400, 404 or 409 for a forbidden step; the message is then not stored
 */
export type Negotiation = (ctx: { table: Table }, received: ReceivedMessage) => Promise<Parts>

/** Negotiations by the prefix of their actions: `BOOKING_`. */
export type Negotiations = Readonly<Record<string, Negotiation>>

/** Returns the negotiation of an action, if it has one. */
export function negotiationOf(negotiations: Negotiations, action: string): Negotiation | undefined {
  return Object.entries(negotiations).find(([prefix]) => action.startsWith(prefix))?.[1]
}

import type { AgentMessage } from '../agent-message/message.ts'
import type { Parts } from '../platform/table/commit.ts'
import type { Table } from '../platform/table/port.ts'

/** An accepted message as a negotiation sees it: signed, young enough, between two agents that are there. */
export interface Received {
  message: AgentMessage
  /** Whose the agents are; null for one of the platform itself. */
  sender: { id: string; userId: string | null }
  recipient: { id: string; userId: string | null }
  /** Epoch milliseconds: when it was received. */
  now: number
}

/**
 * Decides what a message moves, by what it reads: contract.md 9, Negotiation. Where one of its parts is refused, another
 * message came first, and it is asked again.
 * @returns writes, each on condition of what was read, for the transaction that accepts the message
 * @throws PlatformError 400, 404 or 409 for a move that is not allowed: nothing of the message is then kept
 */
export type Negotiation = (ctx: { table: Table }, received: Received) => Promise<Parts>

/** Negotiations by the beginning of the actions that they take: `BOOKING_`. */
export type Negotiations = Readonly<Record<string, Negotiation>>

/** The negotiation that an action belongs to, if any. */
export function negotiationOf(negotiations: Negotiations, action: string): Negotiation | undefined {
  return Object.entries(negotiations).find(([prefix]) => action.startsWith(prefix))?.[1]
}

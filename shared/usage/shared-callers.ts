import { shardOf } from '../platform/table/shard.ts'
import { platformOwner } from '../platform/table/user-store.ts'

/** Who calls of a trusted caller are for that names no user: contract.md 5. */
export const anonymous = 'anonymous'

/** Who calls of the demo are for, and what stands for their agent: spec.md, Usage event. */
export const demoCaller = { userId: 'demo', agentId: 'demo-chat' } as const

/** Who calls of models are for that are paid for by x402. */
export const gatewayPayer = 'gateway'

const sharedCallers: ReadonlySet<string> = new Set([
  anonymous,
  demoCaller.userId,
  gatewayPayer,
  platformOwner,
])

/** The books of a caller that many share are in this many parts: two transactions on one row would cancel each other. */
export const bookParts = 16

const everyPart = Array.from({ length: bookParts }, (_, part) => part)

/** Whether many may call as this user at once. */
export function isShared(userId: string): boolean {
  return sharedCallers.has(userId)
}

/** Whose name one part of a shared caller's books has: no id of a user has a `#`. */
export function partOfBooks(userId: string, part: number): string {
  return isShared(userId) ? `${userId}#${part}` : userId
}

/** Every name that a user's books have: one, or the whole that a shared caller's were before they had parts, and the parts. */
export function booksOf(userId: string): string[] {
  if (!isShared(userId)) return [userId]
  return [userId, ...everyPart.map((part) => partOfBooks(userId, part))]
}

/** The parts in the order in which a call tries them, from one by chance, so that no part takes every write. @param parts how many are in use */
export function partsByChance(parts = bookParts): number[] {
  const first = Math.floor(Math.random() * parts)
  return everyPart.slice(0, parts).map((part) => (first + part) % parts)
}

/** One part's share of a limit; the shares of all parts add up to it. @param limit a whole number, 0 at least */
export function shareOf(limit: number, { part, parts }: { part: number; parts: number }): number {
  return Math.floor(limit / parts) + (part < limit % parts ? 1 : 0)
}

/** What decides which part an event counts in: its agent, unless that is the demo's, which all of its visitors share. */
export interface Spread {
  id: string
  userId: string
  agentId: string | null
}

/** The part, and the platform's shard, that an event counts in. @param parts how many there are */
export function spreadOf({ id, userId, agentId }: Spread, parts: number): number {
  const own = agentId === demoCaller.agentId ? null : agentId
  return shardOf(own ?? (isShared(userId) ? id : userId), parts)
}

import { shardOf } from '#shared/platform/table/shard.ts'
import { platformOwner } from '#shared/platform/table/user-store.ts'

/** The user of a trusted caller's calls without a user: contract.md 5. */
export const anonymous = 'anonymous'

/** The user and the agent of the demo's calls: spec.md, Usage event. */
export const demoCaller = { userId: 'demo', agentId: 'demo-chat' } as const

/** The user of model calls that are paid by x402. */
export const gatewayPayer = 'gateway'

const sharedCallers: ReadonlySet<string> = new Set([
  anonymous,
  demoCaller.userId,
  gatewayPayer,
  platformOwner,
])

/** The number of parts of a shared caller's rows: transactions on one row would conflict. */
export const bookParts = 16

const everyPart = Array.from({ length: bookParts }, (_, part) => part)

/** Reports whether many callers share this user. */
export function isShared(userId: string): boolean {
  return sharedCallers.has(userId)
}

/** Returns the user id of one part of a shared caller's rows. A real user id contains no `#`. */
export function partOfBooks(userId: string, part: number): string {
  return isShared(userId) ? `${userId}#${part}` : userId
}

/**
 * Returns every user id of a user's rows: for a shared caller, the original id and the ids of its parts; for other
 * users, one id.
 */
export function rowOwnersOf(userId: string): string[] {
  if (!isShared(userId)) return [userId]
  return [userId, ...everyPart.map((part) => partOfBooks(userId, part))]
}

/**
 * Returns the parts in a random rotation, so that no part takes every write.
 * @param parts the number in use
 */
export function partsByChance(parts = bookParts): number[] {
  const first = Math.floor(Math.random() * parts)
  return everyPart.slice(0, parts).map((part) => (first + part) % parts)
}

/**
 * Returns a part's share of a limit. The shares of all parts add up to the limit.
 * @param limit an integer, at least 0
 */
export function shareOf(limit: number, { part, parts }: { part: number; parts: number }): number {
  return Math.floor(limit / parts) + (part < limit % parts ? 1 : 0)
}

/** Selects the part of an event: by agent, except for the demo's agent, which all its visitors share. */
export interface Spread {
  id: string
  userId: string
  agentId: string | null
}

/**
 * Returns the part, or the platform's shard, of an event.
 * @param parts the number of parts
 */
export function spreadOf({ id, userId, agentId }: Spread, parts: number): number {
  const own = agentId === demoCaller.agentId ? null : agentId
  return shardOf(own ?? (isShared(userId) ? id : userId), parts)
}

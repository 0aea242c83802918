import { findUser, isAdmin, profileKey, toUser } from '../accounts/user.ts'
import type { UserIdentity } from '../identity/actor.ts'
import { isPaying, paying, subscriptionRequired } from '../plans/subscriptions.ts'
import { agentLimit } from '../plans/tiers.ts'
import { PlatformError } from '../platform/errors.ts'
import type { Condition, Item, Table, Write } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { agentCountRows } from './rows.ts'

/** A user as the owner of agents. */
export interface Owner {
  userId: string
  /** How many agents it may have. */
  limit: number
  /** The row that counts its agents. */
  countedIn: string
  /** What decides how many of its agents may be awake at once. */
  payer: { plan: string; isAdmin: boolean }
  /** Its agents start at once, so its plan must be paid for: see `countUp`. */
  mustPay?: true
}

/** The row that counts the agents of an owner whose account is kept elsewhere. */
const countKey = agentCountRows.sk({})

/** The caller as the owner of agents that start at once. @param tier named by the request; its bound holds too */
export function payingOwner(user: UserIdentity, tier?: string): Owner {
  return {
    userId: user.id,
    limit: agentLimit(user, tier),
    countedIn: profileKey,
    payer: user,
    ...(!user.isAdmin && { mustPay: true }),
  }
}

export interface OwnerQuery {
  userId: string
  adminEmails: string[]
  /** The caller's word for who acts; an admin's raises the limit. */
  email?: string | undefined
  /** How many agents a plan allows. */
  limitOf?: (user: { plan: string; isAdmin: boolean }) => number
}

/**
 * The owner that a trusted caller names. One without an account here holds no plan.
 */
export async function findOwner(
  { table }: { table: Table },
  { userId, adminEmails, email, limitOf = agentLimit }: OwnerQuery,
): Promise<Owner> {
  const user = await findUser(table, userId)
  const admin =
    (email !== undefined && adminEmails.includes(email)) ||
    (user !== undefined && isAdmin(user, adminEmails))
  const payer = { plan: user?.plan ?? 'free', isAdmin: admin }
  return {
    userId,
    limit: limitOf(payer),
    payer,
    countedIn: user === undefined ? countKey : profileKey,
  }
}

/** Counts one more agent, as a part of the transaction that makes it: however many run at once, none passes the limit. */
export function countUp(table: Table, { userId, limit, countedIn, mustPay }: Owner): Write {
  const conditions = [
    ...(countedIn === profileKey ? ['attribute_exists(pk)'] : []),
    ...(mustPay ? [paying.if] : []),
    '(attribute_not_exists(#agentCount) OR #agentCount < :limit)',
  ]
  return userStore(table, userId).write.update(countedIn, {
    add: { agentCount: 1 },
    if: conditions.join(' AND '),
    values: { limit, ...(mustPay && paying.values) },
  })
}

/** Why a count was refused, by the row that was there instead. */
export function countRefused(
  { limit, countedIn, mustPay }: Owner,
  row: Item | undefined,
  full: (current: number, limit: number) => PlatformError,
): PlatformError {
  const user = row && countedIn === profileKey ? toUser(row) : undefined
  if (mustPay && !isPaying(user?.subscription.status ?? 'inactive')) return subscriptionRequired()
  const counted = user ?? (row && agentCountRows.parse(row))
  return full(counted?.agentCount ?? 0, limit)
}

/** Counts one agent less, as a part of the transaction that removes it. */
export async function countDown(
  table: Table,
  userId: string,
  condition: Condition = {},
): Promise<Write> {
  const store = userStore(table, userId)
  const profile = await store.get(profileKey)
  return store.write.update(profile === undefined ? countKey : profileKey, {
    add: { agentCount: -1 },
    ...condition,
  })
}

/** What a refused count says: contract.md 7. */
export function limitReached(current: number, limit: number): PlatformError {
  return new PlatformError('payment-required', 'Agent limit reached', {
    code: 'AGENT_LIMIT_REACHED',
    details: { current, limit },
  })
}

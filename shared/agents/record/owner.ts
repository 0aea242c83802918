import { findUser, isAdmin, profileKey, toUser } from '#shared/accounts/users/user.ts'
import { isPaying, paying, subscriptionRequired } from '#shared/money/plans/subscriptions.ts'
import { agentLimit } from '#shared/money/plans/tiers.ts'
import { limitReached, type PlatformError } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { Condition, Item, Table, Write } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { listAgents } from './list.ts'
import { agentCountRows } from './rows.ts'

/** A user as the owner of agents. */
export interface Owner {
  userId: string
  /** The maximum number of agents. */
  limit: number
  /** The key of the row that counts the agents. */
  countedIn: string
  /** The fields that decide how many agents can be awake. */
  payer: { plan: string; isAdmin: boolean }
  /** True if the agents start immediately, so that the plan must be paid: see `countAgentUp`. */
  mustPay?: true
  /** Set for a clone that a stranger pays for: the `strangerClones` that `limit` was calculated with. */
  strangerClones?: number
}

/** The counter row of an owner whose account is in another system. */
const countKey = agentCountRows.sk({})

/**
 * Returns the owner of agents that start immediately, with the plan that the session check has read.
 * @param tier from the request; its limit also applies
 */
export function payingOwner(
  { actor: { user }, owner }: Pick<UserContext, 'actor' | 'owner'>,
  tier?: string,
): Owner {
  return {
    userId: owner,
    limit: agentLimit(user, tier),
    countedIn: profileKey,
    payer: user,
    ...(!user.isAdmin && { mustPay: true }),
  }
}

export interface OwnerQuery {
  userId: string
  adminEmails: string[]
  /** The email of the acting user, as the caller sent it. An admin's email raises the limit. */
  email?: string | undefined
  /** Returns the maximum number of agents of a plan. */
  limitOf?: (user: { plan: string; isAdmin: boolean }) => number
}

/** Returns the owner that a trusted caller names. An owner without an account here has no plan. */
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

/**
 * Returns the owner for a clone that a stranger pays for. Such clones use at most half of the places, rounded up, that
 * the owner's own agents leave free, and never the last free place.
 */
export async function ownerForStranger(ctx: { table: Table }, owner: Owner): Promise<Owner> {
  const { userId, countedIn, limit } = owner
  // The row is read before the agents: if another stranger's clone is inserted in the meantime, `countAgentUp` is
  // refused.
  const item = await userStore(ctx.table, userId).get(countedIn)
  const counted = item && countsIn(countedIn, item)
  const agents = await listAgents(ctx, { userId, consistent: true })
  const clones = agents.filter(({ lineage }) => lineage?.byStranger === true).length
  // With n agents, c of them clones: c + 1 <= (limit - (n - c) + 1) / 2 if n < limit - c.
  return {
    ...owner,
    limit: Math.min(limit - 1, limit - clones),
    strangerClones: counted?.strangerClones ?? 0,
  }
}

function countsIn(countedIn: string, item: Item) {
  return countedIn === profileKey ? toUser(item) : agentCountRows.parse(item)
}

/**
 * Returns the write that increments the count of agents, for the transaction that creates an agent. Concurrent
 * transactions cannot exceed the limit.
 */
export function countAgentUp(
  table: Table,
  { userId, limit, countedIn, mustPay, strangerClones }: Owner,
): Write {
  const byStranger = strangerClones !== undefined
  const conditions = [
    ...(byStranger ? [strangersAsSeen(strangerClones)] : []),
    ...(countedIn === profileKey ? ['attribute_exists(pk)'] : []),
    ...(mustPay ? [paying.if] : []),
    '(attribute_not_exists(#agentCount) OR #agentCount < :limit)',
  ]
  return userStore(table, userId).write.update(countedIn, {
    add: { agentCount: 1, ...(byStranger && { strangerClones: 1 }) },
    if: conditions.join(' AND '),
    values: {
      limit,
      ...(mustPay && paying.values),
      ...(byStranger && strangerClones > 0 && { strangerClones }),
    },
  })
}

function strangersAsSeen(strangerClones: number): string {
  return strangerClones === 0
    ? 'attribute_not_exists(#strangerClones)'
    : '#strangerClones = :strangerClones'
}

/** Returns the error of a refused count, from the current row. */
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

/** Returns the write that decrements the count of agents, for the transaction that deletes an agent. */
export async function countAgentDown(
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

/** Returns the error of a reached limit: contract.md 7. */
export function agentLimitReached(current: number, limit: number): PlatformError {
  return limitReached('AGENT_LIMIT_REACHED', 'Agent limit reached', {
    kind: 'payment-required',
    current,
    limit,
  })
}

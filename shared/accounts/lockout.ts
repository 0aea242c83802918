import { addressBlock } from '../platform/address.ts'
import { sha256Hex } from '../platform/crypto.ts'
import { PlatformError } from '../platform/errors.ts'
import { ConditionFailed, type Item, type Key, type Table } from '../platform/table/port.ts'

/** contract.md 2. */
const windowMs = 15 * 60_000
const perAccount = 5
const perAddress = 20

/** A sign-in under way. It counts as failed from its first moment, so that guesses sent all at once count too. */
export interface Attempt {
  /** Takes the count back and clears the account's earlier failures. */
  succeed(): Promise<void>
}

/**
 * Counts a sign-in for its account, whether or not there is one, and for its client address.
 * @throws PlatformError 429 with Retry-After once either has failed too often in the last 15 minutes
 */
export async function beginAttempt(
  table: Table,
  { email, ip }: { email: string; ip: string },
  now = Date.now(),
): Promise<Attempt> {
  const account = await accountKey(email)
  const address = { pk: `lockout#address#${addressBlock(ip)}`, sk: 'lockout' }
  const forgetAddress = () => change(table, address, (times) => without(times, now))
  await count(table, address, perAddress, now)
  try {
    await count(table, account, perAccount, now)
  } catch (error) {
    // A try at a locked account was refused unheard; it is no failure of its address.
    await forgetAddress()
    throw error
  }
  return {
    async succeed() {
      await Promise.all([table.delete(account), forgetAddress()])
    },
  }
}

/** Clears an account's failures. */
export async function forgiveAccount(table: Table, email: string): Promise<void> {
  await table.delete(await accountKey(email))
}

async function accountKey(email: string): Promise<Key> {
  return { pk: `lockout#account#${await sha256Hex(email)}`, sk: 'lockout' }
}

async function count(table: Table, key: Key, limit: number, now: number): Promise<void> {
  await change(table, key, (times) => {
    const recent = times.filter((time) => time > now - windowMs)
    const [oldest = now] = recent
    if (recent.length >= limit) throw lockedOut(Math.ceil((oldest + windowMs - now) / 1000))
    return [...recent, now]
  })
}

/**
 * Rewrites a row's times of failure under a version. Whoever loses a race looks again; a race ends soon, because
 * the list has a length at which nobody writes any more.
 */
async function change(
  table: Table,
  key: Key,
  next: (times: number[]) => number[],
  seen?: Item,
): Promise<void> {
  const version = Number(seen?.version ?? 0)
  const times = next((seen?.times ?? []) as number[])
  try {
    await table.update(key, {
      set: { times, version: version + 1, expiresAt: Math.ceil((Date.now() + windowMs) / 1000) },
      if: seen === undefined ? 'attribute_not_exists(pk)' : '#version = :seen',
      ...(seen !== undefined && { values: { seen: version } }),
    })
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    // Gone meanwhile where there is no item: then it begins anew.
    await change(table, key, next, error.item)
  }
}

function without(times: number[], one: number): number[] {
  const at = times.indexOf(one)
  return at < 0 ? times : times.toSpliced(at, 1)
}

function lockedOut(seconds: number): PlatformError {
  return new PlatformError('too-many-requests', 'Too many failed sign-ins; try again later', {
    headers: { 'Retry-After': String(Math.max(1, seconds)) },
  })
}

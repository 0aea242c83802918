import { addressBlock } from '../platform/address.ts'
import { sha256Hex } from '../platform/crypto.ts'
import { PlatformError } from '../platform/errors.ts'
import { changeItem } from '../platform/table/change-item.ts'
import type { Item, Key, Table } from '../platform/table/port.ts'
import { absent } from '../platform/table/present.ts'
import { accountLockoutRows, addressLockoutRows } from './rows.ts'

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
  const address = addressLockoutRows.key({ block: addressBlock(ip) })
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
  return accountLockoutRows.key({ emailHash: await sha256Hex(email) })
}

async function count(table: Table, key: Key, limit: number, now: number): Promise<void> {
  await change(table, key, (times) => {
    const recent = times.filter((time) => time > now - windowMs)
    const [oldest = now] = recent
    if (recent.length >= limit) throw lockedOut(Math.ceil((oldest + windowMs - now) / 1000))
    return [...recent, now]
  })
}

/** Rewrites a row's times of failure under a version. */
async function change(table: Table, key: Key, next: (times: number[]) => number[]): Promise<void> {
  const decide = (row: Item | undefined) => {
    const seen = row && accountLockoutRows.parse(row)
    const times = next(seen?.times ?? [])
    const version = (seen?.version ?? 0) + 1
    const expiresAt = Math.ceil((Date.now() + windowMs) / 1000)
    return {
      update: {
        set: { times, version, expiresAt },
        ...(seen === undefined
          ? absent()
          : { if: '#version = :seen', values: { seen: seen.version } }),
      },
    }
  }
  // Most sign-ins follow no failure, so the first try is to write without a read.
  await changeItem({ table, key }, decide, { first: undefined })
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

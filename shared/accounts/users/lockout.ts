import { addressBlock } from '#shared/platform/address.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Key, Table } from '#shared/platform/table/port.ts'
import { addTime, removeTime } from '#shared/platform/table/recent-times.ts'
import { knownBrowser, type ShownBrowser } from './known-browser.ts'
import {
  accountLockoutRows,
  addressLockoutRows,
  browserLockoutRows,
  browsersLockoutRows,
} from './rows.ts'

/** contract.md 2. */
const windowMs = 15 * 60_000
const perAccount = 5
const perAddress = 20
const perBrowser = 5
/**
 * The limit of failures of all known browsers of an account together: each sign-in creates a cookie, and cookies can be
 * collected.
 */
const perBrowsers = 15
const refusal = 'Too many failed sign-ins; try again later'

/** A sign-in in progress. It counts as failed from the start, so that concurrent guesses count too. */
export interface SignInAttempt {
  /** Undoes the count and clears the account's earlier failures. */
  succeed(): Promise<void>
}

/** The client of a sign-in. */
export interface AttemptFrom {
  /** The client's address. */
  ip: string
  /** Absent if known browsers are not supported, and for programs. */
  browser?: ShownBrowser | undefined
}

/**
 * Counts a sign-in for its account, existing or not, and for its client address. A browser that has signed in to the
 * account before has its own count instead, so that others cannot lock the user out of it. All such browsers of an account
 * also have one count together.
 * @throws PlatformError 429 with Retry-After after too many failures of one of these in the last 15 minutes
 */
export async function beginAttempt(
  { table, ip, browser }: Pick<Context, 'table'> & AttemptFrom,
  email: string,
  now = Date.now(),
): Promise<SignInAttempt> {
  const known = browser && (await knownBrowser(table, browser, email))
  if (known !== undefined) return beginInBrowser(table, known, now)
  const account = await accountFailures(table, email)
  const row = { table, key: addressLockoutRows.key({ block: addressBlock(ip) }) }
  const address = { row, parse: addressLockoutRows.parse, windowMs }
  await addTime(address, { most: perAddress, refusal, now })
  try {
    await addTime(account, { most: perAccount, refusal, now })
  } catch (error) {
    // An attempt at a locked account is refused without a check, so it does not count as a failure of its address.
    await removeTime(address, now)
    throw error
  }
  return {
    async succeed() {
      await Promise.all([table.delete(account.row.key), removeTime(address, now)])
    },
  }
}

async function beginInBrowser(
  table: Table,
  { id: browserId, userId }: { id: string; userId: string },
  now: number,
): Promise<SignInAttempt> {
  const row = { table, key: browserLockoutRows.key({ browserId }) }
  const one = { row, parse: browserLockoutRows.parse, windowMs }
  const all = {
    row: { table, key: browsersLockoutRows.key({ userId }) },
    parse: browsersLockoutRows.parse,
    windowMs,
  }
  await addTime(one, { most: perBrowser, refusal, now })
  try {
    await addTime(all, { most: perBrowsers, refusal, now })
  } catch (error) {
    // The attempt is refused without a check.
    await removeTime(one, now)
    throw error
  }
  return {
    async succeed() {
      await Promise.all([table.delete(row.key), removeTime(all, now)])
    },
  }
}

/** Removes an account's failures. */
export async function forgiveAccount(table: Table, email: string): Promise<void> {
  await table.delete(await accountKey(email))
}

async function accountFailures(table: Table, email: string) {
  const row = { table, key: await accountKey(email) }
  return { row, parse: accountLockoutRows.parse, windowMs }
}

async function accountKey(email: string): Promise<Key> {
  return accountLockoutRows.key({ emailHash: await sha256Hex(email) })
}

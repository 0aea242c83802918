import { equalInConstantTime, hmacSha256, randomToken, toBase64Url } from '../platform/crypto.ts'
import type { Table } from '../platform/table/port.ts'
import { findUser } from './user.ts'

/** For how long a browser stays known after its last sign-in, in seconds: less than the 400 days that browsers keep a cookie. */
export const knownBrowserSeconds = 365 * 86_400

/** What a request brings to show that its browser has signed in before. */
export interface ShownBrowser {
  /** Of the cookies of that name, as they came. */
  cookies: readonly string[]
  /** WALLET_ENCRYPTION_KEY. */
  encryptionKey: string
}

/**
 * The cookie of a browser in which a user has just signed in. It opens nothing: it says that this browser's failed
 * sign-ins at this user's account are counted by themselves. A reset of the password and the end of all keys make it void.
 * @returns `<userId>.<keyEpoch>.<browserId>.<signature>`; a browser that the user's account knows keeps its id; undefined
 * for a user who is gone
 */
export async function signBrowser(
  table: Table,
  { cookies, encryptionKey }: ShownBrowser,
  userId: string,
): Promise<string | undefined> {
  const user = await findUser(table, userId)
  if (user === undefined) return undefined
  const read = await Promise.all(cookies.map((cookie) => readBrowser(encryptionKey, cookie)))
  const { keyEpoch = 0 } = user
  const known = read.find((one) => one?.userId === userId && one.keyEpoch === keyEpoch)
  const payload = `${userId}.${keyEpoch}.${known?.id ?? randomToken(16)}`
  return `${payload}.${await signatureOf(encryptionKey, payload)}`
}

/**
 * The id of the browser, where it has signed in before as the user of an address. Each cookie's own user is read, and
 * never the one of the address: the time tells nothing of whether the address has an account.
 */
export async function knownBrowser(
  table: Table,
  { cookies, encryptionKey }: ShownBrowser,
  email: string,
): Promise<string | undefined> {
  for (const cookie of cookies) {
    const browser = await readBrowser(encryptionKey, cookie)
    const user = browser && (await findUser(table, browser.userId))
    if (user?.email === email && (user.keyEpoch ?? 0) === browser?.keyEpoch) return browser.id
  }
  return undefined
}

async function readBrowser(encryptionKey: string, cookie: string) {
  const [userId = '', keyEpoch = '', id = '', signature = '', ...more] = cookie.split('.')
  const payload = `${userId}.${keyEpoch}.${id}`
  const right = await equalInConstantTime(signature, await signatureOf(encryptionKey, payload))
  return right && more.length === 0 ? { userId, keyEpoch: Number(keyEpoch), id } : undefined
}

async function signatureOf(encryptionKey: string, payload: string): Promise<string> {
  return toBase64Url(await hmacSha256(encryptionKey, `known-browser:${payload}`))
}

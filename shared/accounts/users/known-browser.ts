import {
  equalInConstantTime,
  hmacSha256,
  randomToken,
  toBase64Url,
} from '#shared/platform/crypto.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { findUser, type User } from './user.ts'

/**
 * The time in seconds that a browser is recognized after its last sign-in. Browsers store a cookie for at most 400
 * days.
 */
export const knownBrowserSeconds = 365 * 86_400

/** The data of a request that proves that its browser has signed in before. */
export interface ShownBrowser {
  /** The values of the browser cookies. */
  cookies: readonly string[]
  /** WALLET_ENCRYPTION_KEY. */
  encryptionKey: string
}

/**
 * Creates the cookie of a browser after a sign-in. It grants no access, but failed sign-ins of this browser to this
 * account are counted separately. A new password and the revocation of all keys invalidate it.
 * @returns `<userId>.<epoch>.<browserId>.<signature>`, with the same id for a known browser; undefined for a deleted
 * user
 */
export async function signBrowser(
  table: Table,
  { cookies, encryptionKey }: ShownBrowser,
  userId: string,
): Promise<string | undefined> {
  const user = await findUser(table, userId)
  if (user === undefined) return undefined
  const read = await Promise.all(cookies.map((cookie) => readBrowser(encryptionKey, cookie)))
  const epoch = await epochOf(encryptionKey, user)
  const known = read.find((one) => one?.userId === userId && one.epoch === epoch)
  const payload = `${userId}.${epoch}.${known?.id ?? randomToken(16)}`
  return `${payload}.${await signatureOf(encryptionKey, payload)}`
}

/**
 * Returns the browser and its user if it has signed in before as the user of an address. Reads the user of each cookie, not
 * of the address, so that the response time does not reveal if the address has an account.
 */
export async function knownBrowser(
  table: Table,
  { cookies, encryptionKey }: ShownBrowser,
  email: string,
): Promise<{ id: string; userId: string } | undefined> {
  for (const cookie of cookies) {
    const browser = await readBrowser(encryptionKey, cookie)
    const user = browser && (await findUser(table, browser.userId))
    if (user?.email === email && browser?.epoch === (await epochOf(encryptionKey, user)))
      return browser
  }
  return undefined
}

async function readBrowser(encryptionKey: string, cookie: string) {
  const [userId = '', epoch = '', id = '', signature = '', ...more] = cookie.split('.')
  const payload = `${userId}.${epoch}.${id}`
  const right = await equalInConstantTime(signature, await signatureOf(encryptionKey, payload))
  return right && more.length === 0 ? { userId, epoch, id } : undefined
}

/** Returns a text that changes with the user's password and with the revocation of all keys. */
async function epochOf(encryptionKey: string, user: User): Promise<string> {
  const { id, keyEpoch = 0, passwordHash = '' } = user
  const mac = await hmacSha256(encryptionKey, `known-browser-password:${id}:${passwordHash}`)
  return `${keyEpoch}-${toBase64Url(mac).slice(0, 16)}`
}

async function signatureOf(encryptionKey: string, payload: string): Promise<string> {
  return toBase64Url(await hmacSha256(encryptionKey, `known-browser:${payload}`))
}

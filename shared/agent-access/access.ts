import * as z from 'zod'
import { equalInConstantTime, hmacSha256, toBase64Url } from '../platform/crypto.ts'
import { accessSeconds } from './cookie.ts'

/** The claims of an access cookie: this user can access this agent's host while the session or key is valid. */
export const accessClaims = z.object({
  agentId: z.string(),
  userId: z.string(),
  /** The user's access epoch. Access ends with all their sessions. */
  accessEpoch: z.number(),
  /** The row of the session or key. Access ends with it. */
  credential: z.string(),
})

const signedClaims = accessClaims.extend({ expiresAt: z.number() })

export type AccessClaims = z.output<typeof accessClaims>

/**
 * Signs the value of an access cookie, valid for twelve hours.
 * @param encryptionKey WALLET_ENCRYPTION_KEY
 */
export async function signAccess(
  encryptionKey: string,
  claims: AccessClaims,
  now = Date.now(),
): Promise<string> {
  const signed = { ...claims, expiresAt: Math.floor(now / 1000) + accessSeconds }
  const payload = toBase64Url(new TextEncoder().encode(JSON.stringify(signed)))
  return `${payload}.${await signatureOf(encryptionKey, payload)}`
}

/** Verifies a cookie. Undefined if its signature is invalid or it has expired. */
export async function readAccess(
  encryptionKey: string,
  value: string,
  now = Date.now(),
): Promise<AccessClaims | undefined> {
  const [payload = '', signature = '', ...more] = value.split('.')
  const right = await equalInConstantTime(signature, await signatureOf(encryptionKey, payload))
  if (!right || more.length > 0) return undefined
  const { expiresAt, ...claims } = signedClaims.parse(
    JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')),
  )
  return expiresAt * 1000 > now ? claims : undefined
}

async function signatureOf(encryptionKey: string, payload: string): Promise<string> {
  return toBase64Url(await hmacSha256(encryptionKey, `agent-access:${payload}`))
}

import * as z from 'zod'
import { equalInConstantTime, hmacSha256, toBase64Url } from '../platform/crypto.ts'
import { accessSeconds } from './cookie.ts'

/** What an access cookie says: this agent's host is open to this user, as long as the session or key that they asked with is good. */
export const accessClaims = z.object({
  agentId: z.string(),
  userId: z.string(),
  /** The user's when they asked: access ends with every session. */
  accessEpoch: z.number(),
  /** The row of the session or the key that asked: access ends with it. */
  credential: z.string(),
})

const signedClaims = accessClaims.extend({ expiresAt: z.number() })

export type AccessClaims = z.output<typeof accessClaims>

/** The value of an access cookie, good for twelve hours. @param encryptionKey WALLET_ENCRYPTION_KEY */
export async function signAccess(
  encryptionKey: string,
  claims: AccessClaims,
  now = Date.now(),
): Promise<string> {
  const signed = { ...claims, expiresAt: Math.floor(now / 1000) + accessSeconds }
  const payload = toBase64Url(new TextEncoder().encode(JSON.stringify(signed)))
  return `${payload}.${await signatureOf(encryptionKey, payload)}`
}

/** What a cookie says, undefined where it is not ours, was changed, or is over. */
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

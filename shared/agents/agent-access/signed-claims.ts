import * as z from 'zod'
import { equalInConstantTime, hmacSha256, toBase64Url } from '#shared/platform/crypto.ts'

/**
 * Signs claims with an expiry time.
 * @param encryptionKey WALLET_ENCRYPTION_KEY
 * @param purpose keeps a signature from being accepted for another purpose
 */
export async function signClaims(
  encryptionKey: string,
  purpose: string,
  claims: Readonly<Record<string, unknown>> & { expiresAt: number },
): Promise<string> {
  const payload = toBase64Url(new TextEncoder().encode(JSON.stringify(claims)))
  return `${payload}.${await signatureOf(encryptionKey, purpose, payload)}`
}

/** Verifies claims. Undefined if the signature is invalid or they have expired. */
export async function readClaims<Claims>(
  encryptionKey: string,
  { purpose, value, schema }: { purpose: string; value: string; schema: z.ZodType<Claims> },
  now = Date.now(),
): Promise<Claims | undefined> {
  const [payload = '', signature = '', ...more] = value.split('.')
  const right = await signatureOf(encryptionKey, purpose, payload)
  if (!(await equalInConstantTime(signature, right)) || more.length > 0) return undefined
  const signed: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  return expiry.parse(signed).expiresAt * 1000 > now ? schema.parse(signed) : undefined
}

/** Epoch seconds. */
const expiry = z.object({ expiresAt: z.number() })

async function signatureOf(key: string, purpose: string, payload: string): Promise<string> {
  return toBase64Url(await hmacSha256(key, `${purpose}:${payload}`))
}

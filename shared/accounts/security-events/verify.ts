import { decodeJwt, decodeProtectedHeader, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import * as z from 'zod'
import { PlatformError } from '#shared/platform/errors.ts'

export interface Verifier {
  /** The provider's issuer identifier. */
  issuer: string
  /** The platform's client ids at the provider; the token's audience must contain one. */
  clientIds: readonly string[]
  keys: JWTVerifyGetKey
}

/** Public-key signatures only: neither `none` nor a shared secret (RFC 8725, section 3.1). */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
]

/** Real tokens have a kilobyte or two. */
const maxLength = 65_536

/** Repeated tokens are detected for this time, so older tokens must be refused: contract.md 2. */
export const rememberedSeconds = 30 * 86_400

const id = z.string().min(1).max(1024)

/** Optional for providers; a value of another type counts as absent. */
const text = z.string().optional().catch(undefined)

const object = z.record(z.string(), z.unknown()).optional().catch(undefined)

const eventData = z
  .object({ subject: object, reason: text })
  .catch({ subject: undefined, reason: undefined })

const securityEventClaims = z.object({
  iss: z.string(),
  jti: id,
  sub: text,
  /** RFC 9493: the subject of all events of the token. */
  sub_id: object,
  iat: z.number().nonnegative().optional(),
  /** The time of the event: RFC 8417, section 2.2. */
  toe: z.number().nonnegative().optional(),
  events: z.record(z.string(), eventData).refine((events) => Object.keys(events).length > 0),
})

export type SecurityEventClaims = z.output<typeof securityEventClaims>

/**
 * Verifies a security event token (RFC 8417), in the order of spec.md: the issuer, the audience, then the signature
 * with the key that the header names.
 * @throws PlatformError 400 for an invalid token
 */
export async function verifySecurityEvent(
  { issuer, clientIds, keys }: Verifier,
  token: string,
): Promise<SecurityEventClaims> {
  checkForm(token)
  const { iss, aud } = unverified(token)
  if (typeof iss !== 'string' || withoutSlash(iss) !== withoutSlash(issuer))
    throw invalid('iss is not the provider')
  if (![aud].flat().some((one) => one !== undefined && clientIds.includes(one)))
    throw invalid('aud is not this platform')
  const { payload } = await jwtVerify(token, keys, {
    algorithms,
    issuer: iss,
    audience: [...clientIds],
    clockTolerance: 60,
  }).catch((cause: unknown) => {
    throw invalid('it cannot be verified', cause)
  })
  const claims = securityEventClaims.safeParse(payload)
  if (!claims.success)
    throw invalid(`${claims.error.issues[0]?.path.join('.')} is missing or malformed`)
  const { iat } = claims.data
  if (iat !== undefined && iat < Date.now() / 1000 - rememberedSeconds)
    throw invalid('it is too old')
  return claims.data
}

function checkForm(token: string): void {
  if (token === '')
    throw new PlatformError('bad-request', 'The body must be a security event token')
  if (token.length > maxLength) throw invalid('it is too long')
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) throw invalid('it does not have three parts')
}

function unverified(token: string) {
  try {
    const { kid } = decodeProtectedHeader(token)
    if (typeof kid !== 'string') throw new errors.JWTInvalid('kid is missing')
    return decodeJwt(token)
  } catch (cause) {
    throw invalid('it is malformed', cause)
  }
}

/** Google signs events with the issuer of its ID tokens plus a slash. */
function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, '')
}

function invalid(why: string, cause?: unknown): PlatformError {
  return new PlatformError('bad-request', `The token is not valid: ${why}`, { cause })
}

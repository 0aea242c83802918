import { type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { isAddress } from 'viem'
import * as z from 'zod'
import { hmacSha256 } from '#shared/platform/crypto.ts'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import type { TokenAccess } from '../token-gating/gate.ts'
import type { FarcasterIdentity } from './identity.ts'

/** The lifetime of a token, in seconds. */
const tokenSeconds = 3_600

/**
 * The time until token exchange requires another proof, in seconds: a session's lifetime.
 */
const provenSeconds = 30 * 86_400

const audience = 'farcaster'

const claims = z.object({
  sub: z.coerce.number().int().positive(),
  address: z
    .string()
    .refine((text): text is `0x${string}` => isAddress(text, { strict: false }))
    .nullable(),
  auth_time: z.number().int(),
})

/** An identity and the time of its proof, in epoch seconds; a refresh does not change it. */
export interface ProvenIdentity extends FarcasterIdentity {
  provenAt: number
}

/** Issues and reads the platform's own tokens for Farcaster accounts. */
export interface SessionTokens {
  issue(identity: ProvenIdentity, access: TokenAccess): Promise<string>
  /** @throws PlatformError 401 for a foreign, altered or expired token, or if the proof is too old */
  read(token: string): Promise<ProvenIdentity>
}

/**
 * @param encryptionKey WALLET_ENCRYPTION_KEY; the signing key is derived from it
 * @throws PlatformError 503 without it
 */
export async function sessionTokens(
  encryptionKey: string | undefined,
  issuer: string,
  now = Date.now(),
): Promise<SessionTokens> {
  if (encryptionKey === undefined)
    throw notConfigured('Farcaster sign-in', ['WALLET_ENCRYPTION_KEY'])
  const key = await hmacSha256(encryptionKey, 'farcaster-session-token')
  const seconds = epochSeconds(now)
  return {
    issue({ fid, address, provenAt }, access) {
      return new SignJWT({ address, auth_time: provenAt, ...access })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(String(fid))
        .setIssuedAt(seconds)
        .setExpirationTime(seconds + tokenSeconds)
        .sign(key)
    },

    async read(token) {
      const options = {
        issuer,
        audience,
        algorithms: ['HS256'],
        requiredClaims: ['exp'],
        currentDate: new Date(now),
      }
      const payload = await jwtVerify(token, key, options).then(
        (verified): JWTPayload => verified.payload,
        () => ({}),
      )
      const parsed = claims.safeParse(payload)
      if (!parsed.success) throw new PlatformError('unauthorized', 'Invalid or expired token')
      const { sub, address, auth_time: provenAt } = parsed.data
      if (seconds - provenAt >= provenSeconds)
        throw new PlatformError('unauthorized', 'The proof is too old; sign in again')
      return { fid: sub, address, provenAt }
    },
  }
}

import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload } from 'jose'
import { isAddress } from 'viem'
import * as z from 'zod'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import { boundedFetch } from '#shared/platform/http-client/fetch.ts'
import { keySetFetch } from '#shared/platform/key-set-fetch.ts'
import type { QuickAuth } from './identity.ts'

/** Excludes `none` and algorithms that could use a published key as their secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519']

const claims = z.object({
  // A number according to the documentation; JWT libraries require text.
  sub: z.coerce.number().int().positive(),
  address: z
    .string()
    .refine((text) => isAddress(text, { strict: false }))
    .optional(),
})

/**
 * Verifies quick-auth tokens with the keys that their issuer publishes, fetched at the first token and cached. The
 * claims are documented at https://miniapps.farcaster.xyz/docs/sdk/quick-auth/get-token: `aud` is the site's
 * domain, `sub` the fid.
 */
export function remoteQuickAuth(issuer: string | undefined, webUrl: string): QuickAuth {
  if (issuer === undefined)
    return () => Promise.reject(notConfigured('Farcaster quick auth', ['FARCASTER_AUTH_ISSUER']))
  const fetchKeys = keySetFetch(boundedFetch({ totalMs: 5000, maxBytes: 262_144 }))
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`), {
    timeoutDuration: 5_000,
    // The fetch itself limits refreshes for unknown keys.
    cooldownDuration: 0,
    [customFetch]: (url, init) => fetchKeys(url, init, keys.fresh),
  })
  const audience = new URL(webUrl).host
  return async (token) => {
    const options = { issuer, audience, algorithms, requiredClaims: ['exp', 'sub'] }
    const payload = await jwtVerify(token, keys, options).then(
      (verified): JWTPayload => verified.payload,
      (error: unknown) => {
        throw isOfToken(error) ? invalid() : unreachable(error)
      },
    )
    const parsed = claims.safeParse(payload)
    if (!parsed.success) throw invalid()
    const { sub, address } = parsed.data
    return { fid: sub, address: (address as `0x${string}` | undefined) ?? null }
  }
}

/** Returns whether jose rejected the token; any other error comes from fetching the keys. */
function isOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) &&
    error.code !== errors.JOSEError.code
  )
}

function invalid(): PlatformError {
  return new PlatformError('unauthorized', 'Invalid token')
}

function unreachable(cause: unknown): PlatformError {
  return new PlatformError('unavailable', 'The keys of the token’s issuer cannot be fetched', {
    cause,
  })
}

import * as oauth from 'openid-client'
import { boundedFetch } from '../platform/http-client/fetch.ts'
import { type PendingSignIn, SignInFailed } from './provider.ts'

/** A provider's answers are small; the largest is a key set. A browser waits meanwhile. */
export const providerFetch = boundedFetch({ totalMs: 5000, maxBytes: 262_144 })

type Tokens = Awaited<ReturnType<typeof oauth.authorizationCodeGrant>>

/**
 * Exchanges a callback's code for tokens, by PKCE.
 * @throws SignInFailed AuthFailed for an ID token that answers another sign-in, TokenFailed for every other refusal
 */
export async function exchangeCode(
  configuration: oauth.Configuration,
  callback: URL,
  { state, nonce, verifier }: PendingSignIn,
): Promise<Tokens> {
  try {
    return await oauth.authorizationCodeGrant(configuration, callback, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      ...(nonce !== undefined && { expectedNonce: nonce, idTokenExpected: true }),
    })
  } catch (error) {
    throw new SignInFailed(hasOtherNonce(error, nonce) ? 'AuthFailed' : 'TokenFailed', error)
  }
}

/** Returns whether what went wrong is an ID token whose nonce is missing or another's: the library says so in its causes. */
function hasOtherNonce(error: unknown, nonce: string | undefined): boolean {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as Error).cause) {
    const { claims } = at as { claims?: { nonce?: unknown } }
    if (claims !== undefined) return nonce !== undefined && claims.nonce !== nonce
  }
  return false
}

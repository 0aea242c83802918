import * as oauth from 'openid-client'
import { boundedFetch } from '#shared/platform/http-client/fetch.ts'
import { type PendingSignIn, SignInFailed } from './provider.ts'

/** A provider's responses are small; the largest is a key set. The time limit is short because a browser waits. */
export const providerFetch = boundedFetch({ totalMs: 5000, maxBytes: 262_144 })

type Tokens = Awaited<ReturnType<typeof oauth.authorizationCodeGrant>>

/**
 * Exchanges a callback's code for tokens, by PKCE.
 * @throws SignInFailed AuthFailed for an ID token of another sign-in, TokenFailed for every other refusal
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

/**
 * Returns whether an error reports an ID token with a missing or wrong nonce: the library puts the claims into the
 * error's causes.
 */
function hasOtherNonce(error: unknown, nonce: string | undefined): boolean {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as Error).cause) {
    const { claims } = at as { claims?: { nonce?: unknown } }
    if (claims !== undefined) return nonce !== undefined && claims.nonce !== nonce
  }
  return false
}

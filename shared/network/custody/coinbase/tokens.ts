import { SignJWT } from 'jose'
import { randomHex, sha256Hex } from '#shared/platform/crypto.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import type { SigningKey } from './keys.ts'

/** The request that a token is bound to. */
export interface SignedRequest {
  method: 'GET' | 'POST'
  url: URL
}

/** The lifetime of a bearer token in seconds, as in Coinbase's own clients. */
const lifetime = 120

/**
 * Returns the bearer token of a request: a JWT of the API key for exactly this method and URL
 * (https://docs.cdp.coinbase.com/api-reference/v2/authentication).
 */
export function bearerToken(
  { key, alg }: SigningKey,
  keyId: string,
  request: SignedRequest,
): Promise<string> {
  const now = epochSeconds()
  return new SignJWT({ uris: [uriOf(request)] })
    .setProtectedHeader({ alg, kid: keyId, typ: 'JWT', nonce: randomHex(16) })
    .setIssuer('cdp')
    .setSubject(keyId)
    .setAudience(['cdp_service'])
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(now + lifetime)
    .sign(key)
}

/**
 * Returns the additional token for requests that create an account or sign with it: a JWT of the wallet secret for this
 * URL and body. It has no expiry; Coinbase limits its age by `iat`.
 * @param body the body, whose JSON with sorted keys is hashed in `reqHash`
 */
export async function walletToken(
  { key, alg }: SigningKey,
  request: SignedRequest,
  body: Readonly<Record<string, string>>,
): Promise<string> {
  const now = epochSeconds()
  const sorted = JSON.stringify(body, Object.keys(body).sort())
  return new SignJWT({ uris: [uriOf(request)], reqHash: await sha256Hex(sorted) })
    .setProtectedHeader({ alg, typ: 'JWT' })
    .setIssuedAt(now)
    .setNotBefore(now)
    .setJti(randomHex(16))
    .sign(key)
}

function uriOf({ method, url }: SignedRequest): string {
  return `${method} ${url.host}${url.pathname}`
}

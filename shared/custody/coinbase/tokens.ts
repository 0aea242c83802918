import { SignJWT } from 'jose'
import { randomHex, sha256Hex } from '../../platform/crypto.ts'
import type { SigningKey } from './keys.ts'

/** A request as its tokens name it. */
export interface SignedRequest {
  method: 'GET' | 'POST'
  url: URL
}

/** Seconds that a bearer token is good for, as in Coinbase's own clients. */
const lifetime = 120

/**
 * What a request proves itself by: a JWT of the API key for exactly this method and address
 * (https://docs.cdp.coinbase.com/api-reference/v2/authentication).
 */
export function bearerToken(
  { key, alg }: SigningKey,
  keyId: string,
  request: SignedRequest,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
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
 * What makes, or signs by, an account proves itself by this too: a JWT of the wallet secret for this address and body.
 * It has no end of its own: Coinbase bounds its age by `iat`.
 * @param body names in order; `reqHash` is taken over its JSON with sorted names
 */
export async function walletToken(
  { key, alg }: SigningKey,
  request: SignedRequest,
  body: Readonly<Record<string, string>>,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
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

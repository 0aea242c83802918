import { createPrivateKey, type KeyObject } from 'node:crypto'
import { PlatformError } from '#shared/platform/errors.ts'

/** A signing key with its JWT algorithm. */
export interface SigningKey {
  key: KeyObject
  alg: 'EdDSA' | 'ES256'
}

/**
 * Parses the secret of an API key in one of the two formats of Coinbase's portal: base64 of an Ed25519 seed and public
 * key, or PEM of a P-256 key, whose lines may be separated by a literal `\n`, as in environment variables.
 * @throws PlatformError 503 that names CDP_API_KEY_SECRET
 */
export function apiKey(secret: string): SigningKey {
  const bytes = Buffer.from(secret, 'base64')
  return readBy('CDP_API_KEY_SECRET', () =>
    secret.includes('PRIVATE KEY')
      ? onP256(createPrivateKey(secret.replaceAll('\\n', '\n')))
      : { key: createPrivateKey({ key: ed25519(bytes), format: 'jwk' }), alg: 'EdDSA' },
  )
}

/**
 * Parses the wallet secret: base64 of a P-256 key in PKCS #8.
 * @throws PlatformError 503 that names CDP_WALLET_SECRET
 */
export function walletKey(secret: string): SigningKey {
  const key = Buffer.from(secret, 'base64')
  return readBy('CDP_WALLET_SECRET', () =>
    onP256(createPrivateKey({ key, format: 'der', type: 'pkcs8' })),
  )
}

function ed25519(bytes: Buffer) {
  if (bytes.length !== 64) throw new TypeError('an Ed25519 key has 32 private and 32 public bytes')
  const [d, x] = [bytes.subarray(0, 32), bytes.subarray(32)]
  return { kty: 'OKP', crv: 'Ed25519', d: d.toString('base64url'), x: x.toString('base64url') }
}

function onP256(key: KeyObject): SigningKey {
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new TypeError('not on P-256')
  return { key, alg: 'ES256' }
}

/** Omits the cause, because a parser's error may contain parts of the secret. */
function readBy(setting: string, read: () => SigningKey): SigningKey {
  try {
    return read()
  } catch {
    throw new PlatformError(
      'unavailable',
      `${setting} does not have the format of Coinbase’s portal`,
      {
        details: { missing: [setting] },
      },
    )
  }
}

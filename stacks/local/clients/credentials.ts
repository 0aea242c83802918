import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** The options of the SDK's clients for the local engines. */
export interface LocalCredentials {
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string }
}

/**
 * Returns credentials for one start of the local stack. Agents can run any code on this machine, so the engines require
 * an access key id that agents never get. The engines check the id alone, not the signature: the connection never leaves
 * the machine, so a signature would prove nothing more.
 * @param accessKeyId default: a random one
 */
export function localCredentials(accessKeyId = newAccessKeyId()): LocalCredentials {
  return { region: 'us-east-1', credentials: { accessKeyId, secretAccessKey: accessKeyId } }
}

/** Returns a random id (160 bits) in the form of AWS: four letters for the kind, then letters and digits. */
export function newAccessKeyId(): string {
  return `LOCL${randomBytes(20).toString('hex').toUpperCase()}`
}

/** Why a request is refused. */
export type CredentialRefusal = 'missing' | 'invalid'

/** The error that AWS services return for each reason. The envelope differs by service. */
export const refusals = {
  missing: {
    type: 'MissingAuthenticationTokenException',
    message: 'Request is missing Authentication Token',
  },
  invalid: {
    type: 'UnrecognizedClientException',
    message: 'The security token included in the request is invalid.',
  },
} as const

/**
 * Returns the check of a request's `Authorization: AWS4-HMAC-SHA256 Credential=<access key id>/...`.
 * @param accessKeyId the required id; without it, every id passes, for tests of a single engine
 */
export function accessCheck(
  accessKeyId?: string,
): (header: string | undefined) => CredentialRefusal | undefined {
  const expected = accessKeyId === undefined ? undefined : digest(accessKeyId)
  return (header) => {
    if (header?.startsWith('AWS4-') !== true) return 'missing'
    const provided = /Credential=([^/,\s]+)\//.exec(header)?.[1]
    if (provided === undefined) return 'missing'
    return expected === undefined || timingSafeEqual(digest(provided), expected)
      ? undefined
      : 'invalid'
  }
}

/** Digests have one length, so a constant-time comparison reveals nothing about the id. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

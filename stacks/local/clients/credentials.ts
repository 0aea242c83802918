import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** What the SDK's clients are told for the local engines. */
export interface LocalCredentials {
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string }
}

/**
 * Credentials of one start of the local stack. Agents are any code on this machine, so the engines demand an access key
 * that agents are never given. The id alone counts: it says no less than a signature does, on a line that never leaves
 * this machine.
 * @param accessKeyId default: a random one
 */
export function localCredentials(accessKeyId = newAccessKeyId()): LocalCredentials {
  return { region: 'us-east-1', credentials: { accessKeyId, secretAccessKey: accessKeyId } }
}

/** As AWS writes them: four letters that tell the kind, then letters and digits; 160 bits of chance here. */
function newAccessKeyId(): string {
  return `LOCL${randomBytes(20).toString('hex').toUpperCase()}`
}

/** Why a request is refused, in the words of the service that refuses it. */
export type Refusal = 'missing' | 'invalid'

/** What AWS's services say to each, whichever they are; how they wrap it differs. */
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
 * Makes the check of a request's `Authorization: AWS4-HMAC-SHA256 Credential=<access key id>/...`.
 * @param accessKeyId the one that is demanded; absent: any does, as the tests of one engine alone have it
 */
export function accessCheck(
  accessKeyId?: string,
): (header: string | undefined) => Refusal | undefined {
  const expected = accessKeyId === undefined ? undefined : digest(accessKeyId)
  return (header) => {
    if (header?.startsWith('AWS4-') !== true) return 'missing'
    const given = /Credential=([^/,\s]+)\//.exec(header)?.[1]
    if (given === undefined) return 'missing'
    return expected === undefined || timingSafeEqual(digest(given), expected)
      ? undefined
      : 'invalid'
  }
}

/** Digests are of one length, so comparing them tells nothing about the id. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

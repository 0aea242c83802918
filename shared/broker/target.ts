import { notFound, PlatformError } from '../platform/errors.ts'
import { credentialName } from './schema.ts'

/** Where a container wants to go: `/broker/<name>/<host>/<path>`. */
export interface BrokerTarget {
  name: string
  host: string
  /** With its query, byte for byte; it begins with a slash. */
  path: string
}

/** What may stand in a request line: RFC 3986's characters, and those that servers take besides. */
const allowedPath = /^\/[\x21-\x7e]*$/

/** `.` and `..`, also encoded: who serves the path would take them for steps, and the platform's own edge may. */
const dotSegment = /^(?:\.|%2e){1,2}$/i

/** Printable ASCII without `%` and `\\`, and no step: whoever resolves the path would leave `/broker` by it. */
const hostForm = /^(?!\.{1,2}$)[!-$&-[\]-~]+$/

/**
 * Reads the target of a request line, and no URL: what a URL would resolve, decode or repair stays as it was sent.
 * @throws PlatformError 400 for a path that is none, 404 for less than a path and for what is no name of a credential, 403
 * BROKER_HOST_REFUSED for what is no host
 */
export function brokerTarget(target: string): BrokerTarget {
  const [, name, host, path] = /^\/broker\/([^/?#]+)\/([^/?#]+)(\/[^#]*)$/.exec(target) ?? []
  if (name === undefined || host === undefined || path === undefined)
    throw new PlatformError('not-found', 'Not found')
  if (!credentialName.test(name)) throw notFound('Broker credential')
  if (!hostForm.test(host)) throw hostRefused('The host must be as the credential has it')
  const [bare = ''] = path.split('?', 1)
  if (!allowedPath.test(path)) throw new PlatformError('bad-request', 'The path must be encoded')
  if (bare.split(/\/|\\|%2f|%5c/i).some((segment) => dotSegment.test(segment)))
    throw new PlatformError('bad-request', 'The path must not have "." or ".." as a segment')
  return { name, host, path }
}

/** @returns 403: the credential is not for that host, or nobody may ask it */
export function hostRefused(message: string): PlatformError {
  return new PlatformError('forbidden', message, { code: 'BROKER_HOST_REFUSED' })
}

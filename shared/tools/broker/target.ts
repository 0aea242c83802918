import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { credentialName } from './schema.ts'

/** A container's target: `/broker/<name>/<host>/<path>`. */
export interface BrokerTarget {
  name: string
  host: string
  /** The path with its query, byte for byte, starting with a slash. */
  path: string
}

/** The characters of a request line: RFC 3986's, and others that servers accept. */
const allowedPath = /^\/[\x21-\x7e]*$/

/** `.` and `..`, even if encoded. The server or the platform's own edge may resolve them. */
const dotSegment = /^(?:\.|%2e){1,2}$/i

/** Printable ASCII without `%` and `\\`, and no dot segment, which could resolve to a path outside `/broker`. */
const hostForm = /^(?!\.{1,2}$)[!-$&-[\]-~]+$/

/**
 * Parses the target of a request line without a URL parser, which would resolve, decode or repair it.
 * @throws PlatformError 400 for an invalid path, 404 for an incomplete path or an invalid name, 403 BROKER_HOST_REFUSED
 * for an invalid host
 */
export function brokerTarget(target: string): BrokerTarget {
  const [, name, host, path] = /^\/broker\/([^/?#]+)\/([^/?#]+)(\/[^#]*)$/.exec(target) ?? []
  if (name === undefined || host === undefined || path === undefined)
    throw new PlatformError('not-found', 'Not found')
  if (!credentialName.test(name)) throw notFound('Broker credential')
  if (!hostForm.test(host)) throw hostRefused('The host must be exactly as in the credential')
  const [bare = ''] = path.split('?', 1)
  if (!allowedPath.test(path)) throw new PlatformError('bad-request', 'The path must be encoded')
  if (bare.split(/\/|\\|%2f|%5c/i).some((segment) => dotSegment.test(segment)))
    throw new PlatformError('bad-request', 'The path must not have "." or ".." as a segment')
  return { name, host, path }
}

/** @returns 403: the credential is not for that host, or the host is forbidden */
export function hostRefused(message: string): PlatformError {
  return new PlatformError('forbidden', message, { code: 'BROKER_HOST_REFUSED' })
}

import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { isPlainHost, requirePlainPath } from '#shared/platform/http-client/forwarded.ts'
import { credentialName } from './schema.ts'

/** A container's target: `/broker/<name>/<host>/<path>`. */
export interface BrokerTarget {
  name: string
  host: string
  /** The path with its query, byte for byte, starting with a slash. */
  path: string
}

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
  if (!isPlainHost(host)) throw hostRefused('The host must be exactly as in the credential')
  requirePlainPath(path)
  return { name, host, path }
}

/** @returns 403: the credential is not for that host, or the host is forbidden */
export function hostRefused(message: string): PlatformError {
  return new PlatformError('forbidden', message, { code: 'BROKER_HOST_REFUSED' })
}

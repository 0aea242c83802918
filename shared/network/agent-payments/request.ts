import { hostForm } from '#shared/permits/mandates/check.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { requirePlainPath } from '#shared/platform/http-client/forwarded.ts'

/** A request of an agent to a host that may ask for a payment. */
export interface PaidRequest {
  method: string
  /** The host of the path: a name, with its port if it is not 443. */
  host: string
  /** The path with its query, byte for byte. */
  path: string
  headers: Headers
  /** Null without a body. */
  body: Buffer | null
  /** Aborted when the caller disconnects. */
  signal?: AbortSignal | undefined
}

/**
 * Parses `/pay/<host>/<path>` without a URL parser, which would resolve, decode or repair it.
 * @throws PlatformError 400 for an invalid path, 404 for an incomplete path
 */
export function payTarget(target: string): Pick<PaidRequest, 'host' | 'path'> {
  const [, host, path] = /^\/pay\/([^/?#]+)(\/[^#]*)$/.exec(target) ?? []
  if (host === undefined || path === undefined) throw new PlatformError('not-found', 'Not found')
  if (!hostForm.test(host) || host !== host.toLowerCase())
    throw new PlatformError('bad-request', 'The host must be a name in lower case')
  requirePlainPath(path)
  return { host, path }
}

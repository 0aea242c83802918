import { PlatformError } from '#shared/platform/errors.ts'
import type { HostRequest } from './context.ts'

const reading = new Set(['GET', 'HEAD'])

/**
 * Rejects requests that a page of another origin makes a browser send with the access cookie. To browsers, other
 * agents' hosts are the same site, so SameSite does not separate them; Fetch metadata headers do, because pages cannot
 * change them. Following a link to the agent is allowed, framing it in another page is not.
 * @throws PlatformError 403 CROSS_SITE
 */
export function requireOwnPage(request: HostRequest, deployed: boolean): void {
  const { host, method, origin, site, mode, destination } = request
  const own = `http${deployed ? 's' : ''}://${host.toLowerCase()}`
  if (origin !== undefined && origin !== own) refuse()
  if (site === undefined || site === 'same-origin' || site === 'none') return
  if (!reading.has(method) || mode !== 'navigate' || destination !== 'document') refuse()
}

function refuse(): never {
  throw new PlatformError('forbidden', 'The request comes from another site', {
    code: 'CROSS_SITE',
  })
}

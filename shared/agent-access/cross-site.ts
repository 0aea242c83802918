import { PlatformError } from '../platform/errors.ts'
import type { HostRequest } from './context.ts'

const reading = new Set(['GET', 'HEAD'])

/**
 * Refuses what a page of another origin makes a browser send with the access cookie on it. Other agents' hosts are
 * the same site to browsers, so SameSite does not keep them apart; the headers that no page can change do.
 * Following a link to the agent is let through, being shown in another page's frame is not.
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

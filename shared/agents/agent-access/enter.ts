import { notConfigured, notFound } from '#shared/platform/errors.ts'
import { signAccess } from './access.ts'
import type { HostRequest, GateContext } from './context.ts'
import { setAccessCookie } from './cookie.ts'
import { subdomainOf } from './host.ts'
import { accessible } from './identify.ts'
import { redeemTicket, ticketPath } from './ticket.ts'

/** Returns the ticket of a request. Undefined for other requests. */
export function ticketOf({ method, uri }: HostRequest): string | undefined {
  const [path, query = ''] = uri.split('?', 2)
  if (method !== 'GET' || path !== ticketPath) return undefined
  return new URLSearchParams(query).get('ticket') ?? ''
}

/**
 * Signs a browser in with a ticket.
 * @returns the Set-Cookie header
 * @throws PlatformError 401 TICKET_INVALID, 404 if the agent is deleted or its owner's credential was revoked in the
 * meantime
 */
export async function enter(
  ctx: GateContext,
  request: HostRequest,
  ticket: string,
): Promise<string> {
  const { AGENTS_DOMAIN, WALLET_ENCRYPTION_KEY: key, deployed } = ctx.config
  if (key === undefined) throw notConfigured('Reaching agents', ['WALLET_ENCRYPTION_KEY'])
  const subdomain = subdomainOf(request.host, AGENTS_DOMAIN)
  if (subdomain === undefined) throw notFound('Agent')
  const claims = await redeemTicket(ctx, { subdomain, ticket })
  if ((await accessible(ctx.table, claims)) === undefined) throw notFound('Agent')
  return setAccessCookie(await signAccess(key, claims), deployed)
}

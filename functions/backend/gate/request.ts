import type { HostRequest } from '#shared/agents/agent-access/context.ts'
import { addressBlock } from '#shared/platform/address.ts'

/** Reads the agents' router's headers that describe the original request. */
export function hostRequestOf({ headers, signal }: Request): HostRequest {
  const header = (name: string) => headers.get(name) || undefined
  return {
    host: header('x-forwarded-host') ?? '',
    method: header('x-forwarded-method') ?? '',
    uri: header('x-forwarded-uri') ?? '/',
    upgrade: header('x-forwarded-upgrade'),
    authorization: header('authorization'),
    cookie: header('cookie') ?? '',
    origin: header('origin'),
    site: header('sec-fetch-site'),
    mode: header('sec-fetch-mode'),
    destination: header('sec-fetch-dest'),
    holdMs: holdOf(header('x-router-hold')),
    signal,
  }
}

/**
 * Returns the address block of the router's client; undefined if the router did not send an address. The deployed router
 * sends the `x-forwarded-for` of its load balancer, which adds the address of the connection at the end.
 */
export function clientOf({ headers }: Request): string | undefined {
  const address = headers.get('x-router-client')?.split(',').at(-1)?.trim()
  return address ? addressBlock(address) : undefined
}

/** Parses seconds from the router. Limited to one hour, which is enough for every connection. */
function holdOf(seconds: string | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.min(Number.parseInt(seconds, 10), 3600) * 1000
}

import type { HostRequest } from '../../../shared/agent-access/context.ts'

/** Reads the agents' router's headers that describe the original request. */
export function hostRequestOf({ headers, signal }: Request): HostRequest {
  const given = (name: string) => headers.get(name) || undefined
  return {
    host: given('x-forwarded-host') ?? '',
    method: given('x-forwarded-method') ?? '',
    uri: given('x-forwarded-uri') ?? '/',
    upgrade: given('x-forwarded-upgrade'),
    authorization: given('authorization'),
    cookie: given('cookie') ?? '',
    origin: given('origin'),
    site: given('sec-fetch-site'),
    mode: given('sec-fetch-mode'),
    destination: given('sec-fetch-dest'),
    holdMs: holdOf(given('x-router-hold')),
    signal,
  }
}

/** Parses seconds from the router. Limited to one hour, which is enough for every connection. */
function holdOf(seconds: string | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.min(Number.parseInt(seconds, 10), 3600) * 1000
}

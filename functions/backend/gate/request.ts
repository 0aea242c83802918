import type { HostRequest } from '#shared/agents/agent-access/context.ts'

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

/** Parses seconds from the router. Limited to one hour, which is enough for every connection. */
function holdOf(seconds: string | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.min(Number.parseInt(seconds, 10), 3600) * 1000
}

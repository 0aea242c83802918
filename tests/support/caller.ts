import { createApp } from '../../shared/http/app.ts'
import type { Group } from '../../shared/http/wiring.ts'
import { userIdentities } from '../../shared/keys/identity.ts'
import type { Table } from '../../shared/platform/table/port.ts'

export interface UserCall {
  body?: unknown
  /** A session cookie's value. */
  session?: string
  /** An API key as bearer. */
  key?: string
  headers?: Record<string, string>
  signal?: AbortSignal
}

/**
 * Calls the routes of a web group as its users do, by session or key: `callerOf(group, services)`.
 * @param group its module, or another with the routes to call
 */
export function callerOf<Services extends { table: Table }>(
  { routes }: Pick<Group<Services>, 'routes'>,
  services: Services,
  adminEmails: string[] = [],
) {
  const { table } = services
  const app = createApp<Services>({
    surface: 'web',
    name: 'web',
    routes,
    services,
    settings: { WEB_URL: 'http://localhost:3000', RATE_LIMITS: 'off' },
    identity: userIdentities(table, adminEmails),
    table,
  })
  return async (
    method: string,
    path: string,
    { body, session, key, headers, signal }: UserCall = {},
  ): Promise<Response> =>
    app.request(path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(session !== undefined && { cookie: `service-session=${session}` }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    })
}

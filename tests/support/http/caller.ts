import { userIdentities } from '#shared/accounts/keys/identity.ts'
import { createApp } from '#shared/http/app.ts'
import type { Group } from '#shared/http/wiring.ts'
import type { Table } from '#shared/platform/table/port.ts'

export interface UserCall {
  body?: unknown
  /** Sent as the body without JSON encoding. */
  text?: string
  /** Sent as the body without encoding; `headers` must name its media type. */
  bytes?: Uint8Array<ArrayBuffer>
  /** The value of the session cookie. */
  session?: string
  /** An API key, sent as bearer token. */
  key?: string
  headers?: Record<string, string>
  signal?: AbortSignal
}

/**
 * Calls the routes of a web group as its users do, by session or key: `callerOf(group, services)`.
 * @param group its module, or any object with the routes
 */
export function callerOf<Services extends { table: Table }>(
  { routes }: Pick<Group<Services>, 'routes'>,
  services: Services,
  adminEmails: string[] = [],
  limits: 'on' | 'off' = 'off',
) {
  const { table } = services
  const app = createApp<Services>({
    surface: 'web',
    name: 'web',
    routes,
    services,
    settings: { WEB_URL: 'http://localhost:3000', RATE_LIMITS: limits },
    identity: userIdentities(table, adminEmails),
    table,
  })
  return async (
    method: string,
    path: string,
    { body, text, bytes, session, key, headers, signal }: UserCall = {},
  ): Promise<Response> => {
    const payload = body === undefined ? text : JSON.stringify(body)
    return app.request(path, {
      method,
      headers: {
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...(session !== undefined && { cookie: `service-session=${session}` }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      ...(payload !== undefined && { body: payload }),
      ...(bytes !== undefined && { body: bytes }),
      ...(signal !== undefined && { signal }),
    })
  }
}

import { createApp } from '#shared/http/app.ts'
import type { Group } from '#shared/http/wiring.ts'
import type { Identity } from '#shared/platform/identity/actor.ts'
import type { Table } from '#shared/platform/table/port.ts'

export const internalKey = 'the-internal-key'

export interface InternalCall {
  body?: unknown
  /** Sent as the body without JSON encoding. */
  text?: string
  /** The user that the caller acts for. */
  userId?: string
  /** A bearer token in place of the internal key; null sends no token. */
  bearer?: string | null
  headers?: Record<string, string>
}

/** A response; the test names the type of its body. */
export type Answered<Body = Record<string, unknown>> = [status: number, body: Body]

/**
 * Calls the routes of a backend group as trusted callers do: `internalCallerOf(group, services)`.
 * @returns status and body
 */
export function internalCallerOf<Services extends { table: Table }>(
  { routes }: Pick<Group<Services>, 'routes'>,
  services: Services,
  identity: Identity = {},
) {
  const app = createApp<Services>({
    surface: 'backend',
    name: 'backend',
    routes,
    services,
    settings: { INTERNAL_API_KEY: internalKey, RATE_LIMITS: 'off' },
    identity,
    table: services.table,
  })
  return async <Body = Record<string, unknown>>(
    method: string,
    path: string,
    { body, text, userId, bearer = internalKey, headers }: InternalCall = {},
  ): Promise<Answered<Body>> => {
    const payload = body === undefined ? text : JSON.stringify(body)
    const answer = await app.request(path, {
      method,
      headers: {
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
        ...(userId !== undefined && { 'x-user-id': userId }),
        ...headers,
      },
      ...(payload !== undefined && { body: payload }),
    })
    return [answer.status, (await answer.json()) as Body]
  }
}

import * as z from 'zod'
import { createApp } from '#shared/http/app.ts'
import type { Route } from '#shared/http/route.ts'
import type { Identity, UserIdentity } from '#shared/platform/identity/actor.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { SurfaceRoute } from './routes.ts'

const user = { id: 'usr_1', email: 'a@b.co', scopes: ['admin'] } as unknown as UserIdentity
const identity: Identity = {
  session: async (token) => (token === 'good' ? user : undefined),
  userKey: async (key) => (key === 'sk_good' ? user : undefined),
  agentKey: async (key) =>
    key === 'ak_good'
      ? { agentId: 'agt_1', userId: 'usr_1', generation: 1, rows: {} as never }
      : undefined,
}

/** Calls a declared route with another `handle`. */
export function doorOf(
  table: Table,
  { surface, route }: Pick<SurfaceRoute, 'surface' | 'route'>,
  handle: Route<object>['handle'] = () => ({}),
  counts: 'on' | 'off' = 'on',
) {
  const { name, method, guard, limits = [], limitedBy, unlimited } = route
  // Placed below the same common limits of the surface as its own path; the parameters' values do not matter here.
  const path = route.path.replaceAll(/:\w+(?:\{[^}]*\})?/g, 'x')
  const { errors, summary, tag } = route
  // The number of requests is limited in tests with many requests; the number of open responses is limited separately.
  const open = counts === 'on' ? undefined : route.open
  const declared = {
    name,
    method,
    guard,
    limits,
    limitedBy,
    unlimited,
    path,
    errors,
    summary,
    tag,
    open,
  }
  const app = createApp({
    surface,
    name: 'test',
    routes: [{ ...declared, crossSite: true, response: z.object({}), handle } as Route<object>],
    services: {},
    settings: { INTERNAL_API_KEY: 'internal', RATE_LIMITS: counts },
    identity,
    table,
  })
  return (from: string, headers: Record<string, string> = {}): Promise<Response> =>
    Promise.resolve(
      app.request(path, { method, headers }, { requestContext: { http: { sourceIp: from } } }),
    )
}

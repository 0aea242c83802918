import { listBookings } from '../../shared/bookings/list.ts'
import { bookingList, bookingQuery } from '../../shared/bookings/schema.ts'
import { colonyAnswer, colonyQuery } from '../../shared/colony/schema.ts'
import { colonyDiagnosticsOf, colonySoulOf, colonyTreeOf } from '../../shared/colony/status.ts'
import { Paged } from '../../shared/http/paged.ts'
import { routesWith } from '../../shared/http/route.ts'
import type { Wiring } from '../../shared/http/wiring.ts'
import { fleetCosts } from '../../shared/mission-control/costs.ts'
import { fleetGraph } from '../../shared/mission-control/graph.ts'
import { costsAnswer, graphAnswer, tracesAnswer } from '../../shared/mission-control/schema.ts'
import { fleetTraces } from '../../shared/mission-control/traces.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import type { Table } from '../../shared/platform/table/port.ts'
import { userGroup } from '../common/user-group.ts'

export interface MissionControlServices {
  table: Table
  /** X402_GATEWAY_URL. */
  gatewayUrl: string | undefined
}

const route = routesWith<MissionControlServices>()

const colony = { tree: colonyTreeOf, soul: colonySoulOf, diagnostics: colonyDiagnosticsOf }

export const routes = [
  route({
    name: 'fleet.bookings',
    method: 'GET',
    path: '/api/mission-control/fleet/bookings',
    summary:
      'The bookings in which the caller’s agents take part, newest first: a hundred, and by pages those before',
    tag: 'mission control',
    guard: 'session',
    query: bookingQuery,
    response: bookingList,
    pages: true,
    errors: ['bad-request', 'unauthorized'],
    handle: async (ctx, { query }) => {
      const { items: bookings, next } = await listBookings(ctx, query)
      return new Paged({ bookings }, next)
    },
  }),

  route({
    name: 'fleet.costs',
    method: 'GET',
    path: '/api/mission-control/fleet/costs',
    summary: 'What each of the caller’s agents has cost in this month, in UTC',
    tag: 'mission control',
    guard: 'session',
    response: costsAnswer,
    errors: ['unauthorized'],
    handle: (ctx) => fleetCosts(ctx),
  }),

  route({
    name: 'fleet.graph',
    method: 'GET',
    path: '/api/mission-control/fleet/graph',
    summary: 'The caller’s agents, and which of them wrote to each other in the last 30 days',
    tag: 'mission control',
    guard: 'session',
    response: graphAnswer,
    errors: ['unauthorized'],
    handle: (ctx) => fleetGraph(ctx),
  }),

  route({
    name: 'fleet.traces',
    method: 'GET',
    path: '/api/mission-control/fleet/traces',
    summary: 'The last twenty turns of the caller’s agents, newest first',
    tag: 'mission control',
    guard: 'session',
    response: tracesAnswer,
    errors: ['unauthorized'],
    handle: (ctx) => fleetTraces(ctx),
  }),

  route({
    name: 'colony.status',
    method: 'GET',
    path: '/api/colony/status',
    summary: 'The caller’s agents and their clones: as a tree, by fitness, or counted',
    tag: 'mission control',
    guard: 'session',
    query: colonyQuery,
    response: colonyAnswer,
    errors: ['bad-request', 'unauthorized'],
    handle: (ctx, { query }) => colony[query.action](ctx),
  }),
]

export function wire(config: ConfigOf<'web-mission-control'>): Wiring<MissionControlServices> {
  return userGroup(config, (table) => ({ table, gatewayUrl: config.X402_GATEWAY_URL }))
}

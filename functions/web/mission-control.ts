import { Paged } from '#shared/http/paged.ts'
import { routesWith } from '#shared/http/route.ts'
import { listBookings } from '#shared/network/bookings/list.ts'
import { bookingList, bookingQuery } from '#shared/network/bookings/schema.ts'
import { colonyAnswer, colonyQuery } from '#shared/network/colony/schema.ts'
import { colonyDiagnosticsOf, colonySoulOf, colonyTreeOf } from '#shared/network/colony/status.ts'
import type { HasX402Gateway } from '#shared/network/x402-upstream/call.ts'
import { fleetCosts } from '#shared/operations/mission-control/costs.ts'
import { fleetGraph } from '#shared/operations/mission-control/graph.ts'
import {
  costsAnswer,
  graphAnswer,
  tracesAnswer,
} from '#shared/operations/mission-control/schema.ts'
import { fleetTraces } from '#shared/operations/mission-control/traces.ts'
import type { Context } from '#shared/platform/identity/context.ts'

export type Services = Pick<Context, 'table'> & HasX402Gateway

const route = routesWith<Services>()

const colony = { tree: colonyTreeOf, soul: colonySoulOf, diagnostics: colonyDiagnosticsOf }

export const routes = [
  route({
    name: 'fleet.bookings',
    method: 'GET',
    path: '/api/mission-control/fleet/bookings',
    summary: 'List bookings of the caller’s agents',
    description: 'Newest first.',
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
    summary: 'Get the costs of agents this month',
    description: 'The month in UTC.',
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
    summary: 'Get the message graph of agents',
    description: 'Messages between the caller’s agents in the last 30 days.',
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
    summary: 'List recent turns of agents',
    description: 'The last 20, newest first.',
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
    summary: 'Get agents and their clones',
    description: 'As a tree, ranked by fitness, or counted.',
    tag: 'mission control',
    guard: 'session',
    query: colonyQuery,
    response: colonyAnswer,
    errors: ['bad-request', 'unauthorized'],
    handle: (ctx, { query }) => colony[query.action](ctx),
  }),
]

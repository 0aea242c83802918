import { routesWith } from '#shared/http/route.ts'
import { requireAmplification } from '#shared/network/amplifications/amplification.ts'
import { amplification, amplificationParams } from '#shared/network/amplifications/schema.ts'
import { requireBooking } from '#shared/network/bookings/booking.ts'
import { booking, bookingParams } from '#shared/network/bookings/schema.ts'
import { createEvent } from '#shared/network/events/create.ts'
import { viewOf } from '#shared/network/events/event.ts'
import { listEvents } from '#shared/network/events/list.ts'
import {
  eventList,
  eventParams,
  eventView,
  newEvent,
  ticketOrder,
  ticketsSold,
} from '#shared/network/events/schema.ts'
import { sellTickets } from '#shared/network/events/sell-tickets.ts'
import type { Context } from '#shared/platform/identity/context.ts'

export type Services = Pick<Context, 'table'>

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'events.list',
    method: 'GET',
    path: '/api/underground/events',
    summary: 'List events',
    tag: 'underground',
    guard: 'internal',
    response: eventList,
    errors: ['unauthorized', 'forbidden'],
    handle: async (ctx) => (await listEvents(ctx)).map(viewOf),
  }),

  route({
    name: 'events.create',
    method: 'POST',
    path: '/api/underground/events',
    summary: 'Create an event',
    tag: 'underground',
    guard: 'internal',
    body: newEvent,
    status: 201,
    response: eventView,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found'],
    notAudited: 'an event moves no money',
    idempotent: true,
    handle: async (ctx, { body }) => viewOf(await createEvent(ctx, body)),
  }),

  route({
    name: 'tickets.create',
    method: 'POST',
    path: '/api/underground/events/:id/tickets',
    summary: 'Sell tickets of an event',
    tag: 'underground',
    guard: 'internal',
    params: eventParams,
    body: ticketOrder,
    status: 201,
    response: ticketsSold,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'conflict'],
    codes: ['SOLD_OUT'],
    notAudited: 'tickets are paid elsewhere',
    idempotent: true,
    handle: (ctx, { params, body }) => sellTickets(ctx, { eventId: params.id, ...body }),
  }),

  route({
    name: 'bookings.get',
    method: 'GET',
    path: '/api/underground/bookings/:bookingId',
    summary: 'Get a booking',
    tag: 'underground',
    guard: 'internal',
    params: bookingParams,
    response: booking,
    errors: ['unauthorized', 'forbidden', 'not-found'],
    handle: (ctx, { params }) => requireBooking(ctx, params),
  }),

  route({
    name: 'amplifications.get',
    method: 'GET',
    path: '/api/underground/amplifications/:id',
    summary: 'Get an amplification',
    tag: 'underground',
    guard: 'internal',
    params: amplificationParams,
    response: amplification,
    errors: ['unauthorized', 'forbidden', 'not-found'],
    handle: (ctx, { params }) => requireAmplification(ctx, params),
  }),
]

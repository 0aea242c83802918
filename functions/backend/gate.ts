import * as z from 'zod'
import { userKeyIdentity } from '#shared/accounts/keys/identity.ts'
import { authorize, type Upstream } from '#shared/agents/agent-access/authorize.ts'
import type { GateContext } from '#shared/agents/agent-access/context.ts'
import { enter, ticketOf } from '#shared/agents/agent-access/enter.ts'
import { renewLease } from '#shared/agents/agent-access/lease.ts'
import { requireRouter } from '#shared/agents/agent-access/router.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { isUnidentified, refusal } from './gate/refusal.ts'
import { clientOf, hostRequestOf } from './gate/request.ts'

const route = routesWith<GateContext>()

/**
 * Redirects immediately, so that the URL with the ticket does not stay in the address bar and no page receives it as
 * referrer.
 */
function entrance(cookie: string): Response {
  return new Response(null, {
    status: 303,
    headers: { location: '/', 'set-cookie': cookie, 'referrer-policy': 'no-referrer' },
  })
}

function admission({ upstream, authorization, cookie, lease }: Upstream): Response {
  const headers = {
    'x-agent-upstream': upstream,
    'x-agent-authorization': authorization,
    'x-agent-cookie': cookie,
    ...(lease !== undefined && { 'x-agent-lease': lease }),
  }
  return Response.json({}, { headers })
}

export const routes = [
  /** 200 means that the router can forward the request with these headers. All other responses are for the client. */
  route({
    name: 'router.authorize',
    method: 'GET',
    path: '/api/gate',
    summary: 'Authorize a request to an agent’s host',
    description: 'Called by the agents’ router. Returns the address to forward to.',
    tag: 'agents',
    guard: 'none',
    // All requests come from the router's address. The router sends the address of its client, whose refused requests are counted.
    limitedBy: 'handler',
    headers: {
      'x-router-secret': 'The secret of the agents’ router',
      'x-router-client': 'The address of the client, as the last element of a comma-separated list',
      'x-router-hold': 'Seconds to keep the agent awake, at most one hour',
      'x-forwarded-host': 'The requested host',
      'x-forwarded-method': 'The request method',
      'x-forwarded-uri': 'The requested path and query',
      'x-forwarded-upgrade': 'The requested protocol of an upgrade',
    },
    response: z.object({}),
    errors: [
      'bad-request',
      'unauthorized',
      'payment-required',
      'forbidden',
      'not-found',
      'too-many-requests',
      'conflict',
      'unavailable',
      'timeout',
    ],
    codes: [
      'AGENT_NOT_RUNNING',
      'AGENT_TIMEOUT',
      'CROSS_SITE',
      'PROVISIONING_DISABLED',
      'STOPPED_BY_OPERATOR',
      'STORAGE_LIMIT_REACHED',
      'SUBSCRIPTION_REQUIRED',
      'TICKET_INVALID',
      'TOO_MANY_OPEN',
    ],
    handle: async (ctx) => {
      await requireRouter(ctx, ctx.request.headers.get('x-router-secret'))
      ctx.trust()
      const request = hostRequestOf(ctx.request)
      try {
        const ticket = ticketOf(request)
        if (ticket !== undefined) return entrance(await enter(ctx, request, ticket))
        return admission(await authorize(ctx, request))
      } catch (error) {
        // Only after the credential is checked, so that requests of others never block a valid one.
        const client = clientOf(ctx.request)
        if (client !== undefined && isUnidentified(error)) await ctx.countFor(`host-${client}`)
        return refusal(ctx, ctx.request, { host: request.host, error })
      }
    },
  }),
  /**
   * The deployed router calls the gate only once for each connection, so the agent's gateway repeats the check while it
   * is open.
   */
  route({
    name: 'router.renewLease',
    method: 'GET',
    path: '/api/gate/lease',
    summary: 'Check the credential of an open connection to an agent',
    description: 'Called by the agent’s container every 20 seconds while the connection is open.',
    tag: 'agents',
    guard: 'none',
    // All agents of one machine share an address, so requests with a valid lease are not counted.
    limits: [{ scope: 'gate-lease', perMinute: 300 }],
    limitedBy: 'handler',
    headers: { 'platform-lease': 'The lease from the forwarded request' },
    response: z.object({}),
    errors: ['unauthorized', 'too-many-requests', 'unavailable'],
    handle: async (ctx) => {
      await renewLease(ctx, ctx.request.headers.get('platform-lease') ?? '')
      ctx.trust()
      return {}
    },
  }),
]

export function wire(config: ConfigOf<'backend-gate'>): Wiring<GateContext> {
  /** Below the function's timeout, so that the client still gets the reason. */
  const wakeTimeoutMs = 100_000

  const table = openTable(config)
  const queuesFor = openQueues(config)

  const userKey = userKeyIdentity(table, config.ADMIN_EMAILS)

  return {
    services: (origin) => ({
      table,
      queues: queuesFor(origin),
      config,
      webUrl: config.WEB_URL,
      wakeTimeoutMs,
      userKey,
    }),
    table,
  }
}

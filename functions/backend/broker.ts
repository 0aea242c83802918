import * as z from 'zod'
import { agentKeyIdentity } from '#shared/agents/record/ai-key.ts'
import { type Method, type RequestContext, routesWith } from '#shared/http/route.ts'
import { sentRequest } from '#shared/http/sent-request.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { AgentActor } from '#shared/platform/identity/actor.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { openTable } from '#shared/platform/table/open.ts'
import {
  brokerCredentialsKey,
  credentialsIn,
  credentialViews,
} from '#shared/tools/broker/credentials.ts'
import { valueOpener } from '#shared/tools/broker/open-value.ts'
import { brokerCredentialList } from '#shared/tools/broker/schema.ts'
import { brokerTarget } from '#shared/tools/broker/target.ts'
import { useBrokerCredential, type UsesCredentials } from '#shared/tools/broker/use.ts'

type Services = Pick<Context, 'table'> & Sends<'approvals' | 'webhook-deliveries'> & UsesCredentials

/**
 * Below the idle timeout of the edge (60 s), so that the caller gets an error response instead of a closed connection.
 */
const idleMs = 55_000

/**
 * Per agent key. A request that takes less than five seconds occupies no slot, so this limit bounds such requests: one
 * agent can occupy at most 25 instances of the function (300 × 5 s / 60 s).
 */
const route = routesWith<Services>({
  limits: [{ scope: 'broker', perMinute: 300 }],
})

/** HEAD is handled by the GET routes. A REST API accepts no other methods. */
const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

export const routes = [
  route({
    name: 'broker.list',
    method: 'GET',
    path: '/broker',
    summary: 'List broker credentials of the agent',
    description: 'Names and hosts only.',
    tag: 'broker',
    guard: 'agent',
    response: brokerCredentialList,
    errors: ['unauthorized'],
    handle: ({ actor }) => ({ credentials: credentialViews(credentialsIn(actor.rows.beside)) }),
  }),

  ...methods.map((method) =>
    route({
      name: `broker.${method.toLowerCase()}`,
      method,
      path: String.raw`/broker/:name/:host/:path{[\s\S]*}`,
      summary: 'Send a request with a broker credential',
      description:
        'Sends it over HTTPS to a host of the credential. The agent does not see the credential.',
      tag: 'broker',
      guard: 'agent',
      params: z.object({ name: z.string(), host: z.string(), path: z.string() }),
      passesOn: true,
      parks: true,
      // The path after the host is not logged, because it can contain data of the agent or the host.
      loggedPath: (path) => path.split('/', 4).join('/'),
      response: z.unknown(),
      errors: [
        'bad-request',
        'unauthorized',
        'forbidden',
        'not-found',
        'conflict',
        'payload-too-large',
        'too-many-requests',
        'bad-gateway',
        'unavailable',
        'timeout',
      ],
      codes: [
        'APPROVALS_FULL',
        'BROKER_BUSY',
        'BROKER_HOST_REFUSED',
        'BROKER_TIMEOUT',
        'BROKER_UNREACHABLE',
        'CLIENT_CLOSED_REQUEST',
        'POLICY_DENIED',
      ],
      notAudited: 'a credential for other services; each use is a broker request',
      handle: passOn,
    }),
  ),
]

async function passOn(ctx: RequestContext<AgentActor> & Services): Promise<Response> {
  const { request } = ctx
  const { target, body } = sentRequest(request)
  const { method, headers: requestHeaders, signal } = request
  const use = { ...brokerTarget(target), method, headers: requestHeaders, body, signal }
  const { status, headers, body: answer } = await useBrokerCredential(ctx, use)
  return new Response(answer && ReadableStream.from(answer), { status, headers })
}

export function wire(config: ConfigOf<'backend-broker'>): Wiring<Services> {
  const table = openTable(config)
  const queuesFor = openQueues(config)
  const open = valueOpener()
  return {
    services: (origin) => ({
      table,
      queues: queuesFor(origin),
      idleMs,
      open,
      encryptionKey: config.WALLET_ENCRYPTION_KEY,
      allowed: config.deployed ? [] : config.FETCH_ALLOW_HOSTS,
    }),
    identity: { agentKey: agentKeyIdentity(table, brokerCredentialsKey) },
    table,
  }
}

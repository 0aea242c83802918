import * as z from 'zod'
import { toAgent } from '#shared/agents/record/agent.ts'
import { agentKeyIdentity } from '#shared/agents/record/ai-key.ts'
import { type Method, type RequestContext, routesWith } from '#shared/http/route.ts'
import { sentRequest } from '#shared/http/sent-request.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import { type PayContext, paymentsCap } from '#shared/network/agent-payments/context.ts'
import { pay, type PayOutcome } from '#shared/network/agent-payments/pay.ts'
import { payTarget } from '#shared/network/agent-payments/request.ts'
import { openAgentPaymentSigner } from '#shared/network/agent-payments/signing/client.ts'
import { readBody } from '#shared/permits/approvals/request.ts'
import { mandateIn, mandateKey } from '#shared/permits/mandates/mandate.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { HttpAnswer } from '#shared/platform/http-client/client.ts'
import { approvalHeader, returnedHeaders } from '#shared/platform/http-client/forwarded.ts'
import { textBeginning } from '#shared/platform/http-client/text.ts'
import type { AgentActor } from '#shared/platform/identity/actor.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { openTable } from '#shared/platform/table/open.ts'

export type Services = Omit<PayContext, 'log'>

const route = routesWith<Services>({ limits: [{ scope: 'pay', perMinute: 60 }] })

/** HEAD is handled by the GET routes. A REST API accepts no other methods. */
const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Open requests of one owner's agents, each until the host’s response has ended. */
const open = { kind: 'pay', most: 10, what: 'requests to hosts that may be paid' }

export const routes = methods.map((method) =>
  route({
    name: `pay.${method.toLowerCase()}`,
    method,
    path: String.raw`/pay/:host/:path{[\s\S]*}`,
    summary: 'Send a request to a host, and pay for it',
    description:
      'Sends it over HTTPS. If the host asks for a payment by x402, pays from the agent’s wallet within its mandate and sends the request again. The header `x-payment-id` names the payment.',
    tag: 'x402',
    guard: 'agent',
    params: z.object({ host: z.string(), path: z.string() }),
    headers: {
      'Idempotency-Key': 'A retry with the same key and request sends the same payment again',
    },
    passesOn: true,
    parks: true,
    open,
    // The path after the host is not logged, because it can contain data of the agent or the host.
    loggedPath: (path) => path.split('/', 3).join('/'),
    response: z.unknown(),
    errors: [
      'bad-request',
      'unauthorized',
      'payment-required',
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
      'CLIENT_CLOSED_REQUEST',
      'IDEMPOTENCY_KEY_REUSED',
      'MANDATE_EXCEEDED',
      'MANDATE_REFUSED',
      'MANDATE_REQUIRED',
      'PAYMENT_EXPIRED',
      'PAYMENT_HOST_REFUSED',
      'PAYMENT_HOST_TIMEOUT',
      'PAYMENT_HOST_UNREACHABLE',
      'PAYMENTS_CAP_REACHED',
      'POLICY_DENIED',
      'WALLET_REQUIRED',
    ],
    notAudited: 'each payment is a payment of the agent',
    handle: payForAgent,
  }),
)

async function payForAgent(ctx: RequestContext<AgentActor> & Services): Promise<Response> {
  const { request } = ctx
  const { rows } = ctx.actor
  const agent = rows.agent && toAgent(rows.agent)
  if (agent === undefined || agent.deleting) throw new PlatformError('unauthorized', 'Unauthorized')
  const { target, body } = sentRequest(request)
  const { method, headers, signal } = request
  const paid = {
    ...payTarget(target),
    method,
    headers,
    body: body && (await readBody(body)),
    signal,
  }
  const outcome = await pay(ctx, { agent, mandate: mandateIn(rows.beside) }, paid)
  if (outcome.kind === 'pending') {
    const headers = { [approvalHeader]: outcome.pending.approvalId }
    // A body that is never read would keep its slot.
    if (method === 'HEAD') return new Response(null, { status: 202, headers })
    return Response.json(outcome.pending, { status: 202, headers })
  }
  return passBack(outcome, method)
}

/** Returns the host's answer, with the id of the payment. */
async function passBack(
  { answer, ...paid }: Extract<PayOutcome, { kind: 'answer' }>,
  method: string,
): Promise<Response> {
  const headers = returnedHeaders(answer.headers).filter(([name]) => name !== 'x-payment-id')
  if ('paymentId' in paid) headers.push(['x-payment-id', paid.paymentId])
  const { status } = answer
  if (method !== 'HEAD' && ![204, 205, 304].includes(status))
    return new Response(ReadableStream.from(bodyOf(answer)), { status, headers })
  await textBeginning(answer, 0)
  return new Response(null, { status, headers })
}

async function* bodyOf({ body, close }: HttpAnswer): AsyncGenerator<Buffer> {
  try {
    yield* body
  } finally {
    close()
  }
}

export function wire(config: ConfigOf<'backend-pay'>): Wiring<Services> {
  const table = openTable(config)
  const queuesFor = openQueues(config)
  const signerFor = openAgentPaymentSigner(config)
  const { deployed } = config
  return {
    services: (origin) => ({
      table,
      queues: queuesFor(origin),
      signer: signerFor(origin),
      chain: config,
      capUsd: paymentsCap(config),
      allowed: deployed ? [] : config.FETCH_ALLOW_HOSTS,
    }),
    identity: { agentKey: agentKeyIdentity(table, mandateKey) },
    table,
  }
}

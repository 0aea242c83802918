import { agentKeyIdentity } from '#shared/agents/record/ai-key.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import { agentMessage, unsignedMessage } from '#shared/money/agent-message/message.ts'
import { readInbox } from '#shared/network/bus/inbox/read.ts'
import {
  inboxAnswer,
  inboxQuery,
  messageAccepted,
  messageSignature,
} from '#shared/network/bus/schema.ts'
import { type SendContext, sendMessage } from '#shared/network/bus/send.ts'
import { openSigner } from '#shared/network/signer/client.ts'
import type { HasSigner } from '#shared/network/signer/port.ts'
import { sessionOf } from '#shared/permits/approvals/session.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { agentOf } from './bus/agent-of.ts'
import { negotiations } from './bus/negotiations.ts'

export type Services = Omit<SendContext, 'log'> & HasSigner

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'bus.send',
    method: 'POST',
    path: '/api/underground/bus/send',
    summary: 'Send a message between agents',
    description: 'Requires a signature by a wallet of the sender.',
    tag: 'underground',
    guard: 'signature',
    // Agents of one host share an address. The signature identifies sender and recipient.
    limitedBy: 'handler',
    body: agentMessage,
    response: messageAccepted,
    parks: true,
    errors: [
      'bad-request',
      'unauthorized',
      'payment-required',
      'forbidden',
      'not-found',
      'conflict',
      'too-many-requests',
      'internal',
      'unavailable',
    ],
    codes: [
      'A2A_LIMIT_REACHED',
      'APPROVALS_FULL',
      'DELIVERY_FAILED',
      'POLICY_DENIED',
      'SUBSCRIPTION_REQUIRED',
    ],
    notAudited: 'a message changes no access or money; negotiations have their own history',
    handle: async (ctx, { body }) => {
      const pending = await sendMessage(ctx, {
        message: body,
        session: sessionOf(ctx.request.headers),
        // A recipient can send a signed message again, so it must not use up the sender's other counters.
        onSigned: ({ from, to }) => ctx.countFor(`agent-${from}-${to}`),
      })
      if (pending !== undefined) return Response.json(pending, { status: 202 })
      return { success: true as const, messageId: body.messageId }
    },
  }),

  route({
    name: 'bus.sign',
    method: 'POST',
    path: '/api/underground/bus/sign',
    summary: 'Sign a message with the sender’s wallet',
    description: 'Creates the wallet if the agent has none.',
    tag: 'underground',
    guard: 'agent-or-internal',
    body: unsignedMessage,
    response: messageSignature,
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests', 'unavailable'],
    audits: ['wallet.created'],
    handle: async (ctx, { body }) => {
      const { id: agentId } = await requireAgent(ctx, agentOf(ctx, body.from.agentId))
      return ctx.signer.signMessage({ agentId, message: body })
    },
  }),

  route({
    name: 'bus.inbox',
    method: 'GET',
    path: '/api/underground/bus/inbox',
    summary: 'List messages in an agent’s inbox',
    description: 'Oldest first. Reading does not remove messages.',
    tag: 'underground',
    guard: 'agent-or-internal',
    query: inboxQuery,
    response: inboxAnswer,
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { query }) => {
      const { limit, after } = query
      const agent = await requireAgent(ctx, agentOf(ctx, query.agentId))
      const messages = await readInbox(ctx, { agent, limit, after })
      return { messages, count: messages.length }
    },
  }),
]

export function wire(config: ConfigOf<'backend-bus'>): Wiring<Services> {
  const table = openTable(config)
  const queuesFor = openQueues(config)
  const signerFor = openSigner(config)
  return {
    services: (origin) => ({
      table,
      config,
      guard: config,
      negotiations,
      queues: queuesFor(origin),
      signer: signerFor(origin),
    }),
    identity: { agentKey: agentKeyIdentity(table) },
    table,
  }
}

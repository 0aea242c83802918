import type { Hex } from 'viem'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { agentParams } from '#shared/agents/record/schema.ts'
import type { Chain } from '#shared/agents/record/verification/chain.ts'
import {
  verificationView,
  verificationMade,
  verificationRequest,
  verificationRemoved,
} from '#shared/agents/record/verification/schema.ts'
import { showVerification } from '#shared/agents/record/verification/verification.ts'
import { removeVerification, verifyAgent } from '#shared/agents/record/verification/verify.ts'
import { cloneAgent } from '#shared/conversations/clone/clone.ts'
import { cloneDescriptor } from '#shared/conversations/clone/descriptor.ts'
import type { Payee } from '#shared/conversations/clone/payment.ts'
import { cloneService, cloneMade, cloneRequest } from '#shared/conversations/clone/schema.ts'
import { routesWith } from '#shared/http/route.ts'
import { openSigner } from '#shared/network/signer/client.ts'
import type { HasSigner } from '#shared/network/signer/port.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { userGroup } from '../common/user-group.ts'
import { agentsLimit } from './agents/limit.ts'

export type Services = AgentContext &
  Reads<AgentSetting> &
  HasSigner & { payee: Payee; chain: Chain }

const route = routesWith<Services>({ limits: [agentsLimit] })

export const routes = [
  route({
    name: 'clones.describe',
    method: 'GET',
    path: '/api/agents/clone',
    summary: 'Get the price of a clone',
    tag: 'agents',
    guard: 'none',
    response: cloneService,
    errors: ['too-many-requests'],
    handle: () => cloneDescriptor,
  }),

  route({
    name: 'clones.create',
    method: 'POST',
    path: '/api/agents/clone',
    summary: 'Clone an agent',
    description: 'Paid on-chain.',
    tag: 'agents',
    guard: 'optional-credential',
    scope: 'money',
    body: cloneRequest,
    status: 201,
    response: cloneMade,
    audits: ['clone.paid', 'wallet.created'],
    idempotent: true,
    payer: ({ paymentProof }) => paymentProof.from.toLowerCase(),
    errors: [
      'bad-request',
      'unauthorized',
      'payment-required',
      'not-found',
      'conflict',
      'too-many-requests',
      'unavailable',
    ],
    codes: [
      'AGENT_LIMIT_REACHED',
      'PAYMENT_INVALID',
      'PAYMENT_USED',
      'PROVISIONING_DISABLED',
      'SUBSCRIPTION_REQUIRED',
    ],
    handle: async (ctx, { body }) => {
      const { agent, walletAddress } = await cloneAgent(ctx, body)
      return {
        success: true as const,
        agentId: agent.id,
        parentAgentId: body.parentAgentId,
        name: agent.name,
        generation: body.generation + 1,
        specialization: body.specialization,
        walletAddress,
        transactionHash: body.paymentProof.transactionHash,
      }
    },
  }),

  route({
    name: 'agents.verification.get',
    method: 'GET',
    path: '/api/agents/:id/verify',
    summary: 'Get the verification of an agent',
    tag: 'agents',
    guard: 'session',
    params: agentParams,
    response: verificationView,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    handle: async ({ table, owner }, { params }) =>
      showVerification(await requireAgent({ table }, { agentId: params.id, owner })),
  }),

  route({
    name: 'agents.verification.create',
    method: 'POST',
    path: '/api/agents/:id/verify',
    summary: 'Verify the owner of an agent',
    tag: 'agents',
    guard: 'session',
    params: agentParams,
    body: verificationRequest,
    response: verificationMade,
    errors: [
      'bad-request',
      'unauthorized',
      'not-found',
      'too-many-requests',
      'not-implemented',
      'unavailable',
    ],
    codes: ['VERIFICATION_FAILED'],
    audits: ['verification.changed'],
    handle: async (ctx, { params, body }) => {
      const agent = await requireAgent(ctx, { agentId: params.id, owner: ctx.owner })
      return {
        success: true as const,
        ...showVerification(await verifyAgent(ctx, { agent, request: body })),
      }
    },
  }),

  route({
    name: 'agents.verification.delete',
    method: 'DELETE',
    path: '/api/agents/:id/verify',
    summary: 'Delete the verification of an agent',
    tag: 'agents',
    guard: 'session',
    params: agentParams,
    response: verificationRemoved,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    audits: ['verification.changed'],
    handle: async (ctx, { params }) => {
      const agent = await requireAgent(ctx, { agentId: params.id, owner: ctx.owner })
      await removeVerification(ctx, { agent })
      return { success: true as const }
    },
  }),
]

export function wire(config: ConfigOf<'web-verification'>) {
  const queuesFor = openQueues(config)
  const signerFor = openSigner(config)
  return userGroup<Services>(config, (table) => (origin) => ({
    table,
    queues: queuesFor(origin),
    signer: signerFor(origin),
    config,
    chain: {
      id: config.EVM_CHAIN_ID,
      rpc: { url: config.EVM_RPC_URL, setting: 'EVM_RPC_URL' },
    },
    payee: {
      rpc: { url: config.TEMPO_RPC_URL, setting: 'TEMPO_RPC_URL' },
      token: config.PATHUSD_ADDRESS as Hex | undefined,
      payTo: config.CLONE_PAY_TO as Hex | undefined,
    },
  }))
}

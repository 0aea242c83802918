import * as z from 'zod'
import { provisionChannels } from '#shared/agents/fleet/channels/provision.ts'
import { channelAnswer, channelProvisioning } from '#shared/agents/fleet/channels/schema.ts'
import { channelView } from '#shared/agents/fleet/channels/view.ts'
import { createAgent } from '#shared/agents/fleet/create.ts'
import { deleteAgent } from '#shared/agents/fleet/delete.ts'
import { updateAgent } from '#shared/agents/fleet/update.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { viewAgents } from '#shared/agents/record/list.ts'
import {
  agentParams,
  agentAnswers,
  agentPageQuery,
  newAgent,
  agentUpdate,
} from '#shared/agents/record/schema.ts'
import { verificationView } from '#shared/agents/record/verification/schema.ts'
import { showVerification } from '#shared/agents/record/verification/verification.ts'
import { backendView } from '#shared/agents/record/views.ts'
import { Paged } from '#shared/http/paged.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { lifecycle, type Services as LifecycleServices } from './agents/lifecycle.ts'

const route = routesWith<LifecycleServices>()

export const routes = [
  route({
    name: 'agents.verification.get',
    method: 'GET',
    path: '/api/agents/:id/verification',
    summary: 'Get the verification of an agent',
    tag: 'agents',
    guard: 'internal',
    params: agentParams,
    response: verificationView,
    errors: ['unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
    handle: async ({ table, owner }, { params }) =>
      showVerification(await requireAgent({ table }, { agentId: params.id, owner })),
  }),

  route({
    name: 'agents.list',
    method: 'GET',
    path: '/api/agents',
    summary: 'List agents',
    description: 'Newest first. `x-user-id` filters by user.',
    tag: 'agents',
    guard: 'internal',
    query: agentPageQuery,
    response: z.array(agentAnswers.listItem),
    pages: true,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests'],
    handle: async (ctx, { query }) => {
      const view = (agent: Agent) => {
        const { id, status, created, subdomain, url } = backendView(agent, ctx)
        return { id, status, created, subdomain, url }
      }
      const { items, next } = await viewAgents(ctx, { userId: ctx.owner, ...query }, view)
      return new Paged(items, next)
    },
  }),

  route({
    name: 'agents.create',
    method: 'POST',
    path: '/api/agents',
    summary: 'Create an agent',
    description: 'Does not start it.',
    tag: 'agents',
    guard: 'internal',
    body: newAgent,
    status: 201,
    response: agentAnswers.created,
    errors: ['bad-request', 'unauthorized', 'payment-required', 'forbidden', 'too-many-requests'],
    codes: ['AGENT_LIMIT_REACHED', 'PLAN_REQUIRED', 'SUBSCRIPTION_REQUIRED'],
    notAudited: 'creates an agent within the paid plan',
    idempotent: true,
    handle: async (ctx, { body }) => backendView(await createAgent(ctx, body), ctx),
  }),

  route({
    name: 'agents.get',
    method: 'GET',
    path: '/api/agents/:id',
    summary: 'Get an agent',
    tag: 'agents',
    guard: 'internal',
    params: agentParams,
    response: agentAnswers.detail,
    errors: ['unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params }) =>
      backendView(await requireAgent(ctx, { agentId: params.id, owner: ctx.owner }), ctx),
  }),

  route({
    name: 'agents.update',
    method: 'PUT',
    path: '/api/agents/:id',
    summary: 'Update an agent',
    tag: 'agents',
    guard: 'internal',
    params: agentParams,
    body: agentUpdate,
    response: agentAnswers.updated,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
    notAudited: 'changes whether and how an agent runs, not money or access',
    handle: async (ctx, { params, body }) => {
      const found = await requireAgent(ctx, { agentId: params.id, owner: ctx.owner })
      const agent = await updateAgent(ctx, { agent: found, change: body })
      const message =
        agent.desired === 'running'
          ? 'Updated; takes effect at the container’s next start'
          : 'Updated'
      return { ...backendView(agent, ctx), message }
    },
  }),

  route({
    name: 'agents.delete',
    method: 'DELETE',
    path: '/api/agents/:id',
    summary: 'Delete an agent',
    description: 'Succeeds if there is no such agent.',
    tag: 'agents',
    guard: 'internal',
    params: agentParams,
    response: agentAnswers.deleted,
    errors: ['unauthorized', 'forbidden', 'too-many-requests'],
    notAudited: 'removes an agent; no money or access changes',
    handle: async (ctx, { params }) => {
      await deleteAgent(ctx, { agentId: params.id, owner: ctx.owner })
      return { id: params.id, deleted: true as const }
    },
  }),

  route({
    name: 'agents.createWithChannels',
    method: 'POST',
    path: '/api/provision',
    summary: 'Create an agent with chat channels',
    description: 'Starts the agent.',
    tag: 'agents',
    guard: 'internal',
    body: channelProvisioning,
    status: 201,
    response: channelAnswer,
    errors: [
      'bad-request',
      'unauthorized',
      'payment-required',
      'forbidden',
      'not-found',
      'too-many-requests',
      'unavailable',
    ],
    codes: [
      'AGENT_LIMIT_REACHED',
      'PLAN_REQUIRED',
      'PROVISIONING_DISABLED',
      'SUBSCRIPTION_REQUIRED',
    ],
    notAudited: 'creates an agent within the paid plan',
    idempotent: true,
    handle: async (ctx, { body }) => channelView(await provisionChannels(ctx, body), ctx),
  }),

  ...lifecycle,
]

export function wire(config: ConfigOf<'backend-agents'>): Wiring<LifecycleServices> {
  const table = openTable(config)
  const queuesFor = openQueues(config)
  return {
    services: (origin) => ({ table, queues: queuesFor(origin), config }),
    table,
  }
}

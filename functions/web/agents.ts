import { ticketAnswer } from '#shared/agents/agent-access/schema.ts'
import { issueTicket } from '#shared/agents/agent-access/ticket.ts'
import { askForChannel } from '#shared/agents/fleet/channels/ask.ts'
import { changeUsersConfig } from '#shared/agents/fleet/config/by-user.ts'
import { deleteAgent } from '#shared/agents/fleet/delete.ts'
import { provisionAgent } from '#shared/agents/fleet/provision.ts'
import { configAnswers, configQuery, configUpdate } from '#shared/agents/record/config/schema.ts'
import { showConfig } from '#shared/agents/record/config/show.ts'
import { warningsOf } from '#shared/agents/record/config/warnings.ts'
import type { AgentContext, AgentQueue, AgentSetting } from '#shared/agents/record/context.ts'
import { listDeleted } from '#shared/agents/record/deleted.ts'
import { listEvents } from '#shared/agents/record/events/list.ts'
import { agentEvents, eventsQuery } from '#shared/agents/record/events/schema.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { listAgents } from '#shared/agents/record/list.ts'
import {
  agentAnswers,
  webAgentAnswers,
  agentParams,
  provisioning,
  listQuery,
} from '#shared/agents/record/schema.ts'
import { webView } from '#shared/agents/record/views.ts'
import { trafficAnswer } from '#shared/agents/traffic/schema.ts'
import { trafficOfToday } from '#shared/agents/traffic/today.ts'
import { messagePage } from '#shared/conversations/chat/page.ts'
import { chatMessagePage, pageQuery } from '#shared/conversations/chat/schema.ts'
import { checkScope } from '#shared/http/guards/scope.ts'
import { Paged } from '#shared/http/paged.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { agentManager } from '../common/agent-manager.ts'
import { agentsLimit } from './agents/limit.ts'

type Services = AgentContext<AgentQueue | 'channel-set-ups'> & Reads<AgentSetting>

const route = routesWith<Services>({ limits: [agentsLimit] })

export const routes = [
  route({
    name: 'agents.list',
    method: 'GET',
    path: '/api/agents',
    summary: 'List agents',
    description:
      'Newest first. Can also list deleted agents that can be restored. Without a session, the list is empty.',
    tag: 'agents',
    guard: 'optional-credential',
    query: listQuery,
    response: webAgentAnswers.list,
    errors: ['bad-request', 'unauthorized', 'too-many-requests'],
    handle: async (ctx, { query }) => {
      const { owner } = ctx
      if (query.deleted === 'true') {
        const deletedAgents = owner === undefined ? [] : await listDeleted(ctx, { userId: owner })
        const agents = deletedAgents.map((one) => ({
          id: one.agentId,
          name: one.name,
          deletedAt: one.deletedAt,
          snapshotId: one.snapshotId,
        }))
        return { agents }
      }
      const found = owner === undefined ? [] : await listAgents(ctx, { userId: owner })
      const agents = found.map((agent) => webView(agent, ctx))
      return { agents, count: agents.length, status: 'ok' as const }
    },
  }),

  route({
    name: 'agents.messages.list',
    method: 'GET',
    path: '/api/agents/:id/messages',
    summary: 'List messages of an agent',
    description: 'Newest first. A page with long messages can have fewer items than its limit.',
    tag: 'agents',
    guard: 'session',
    params: agentParams,
    query: pageQuery(),
    response: chatMessagePage(),
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params, query }) => {
      const agent = await requireAgent(ctx, { agentId: params.id, owner: ctx.owner })
      const page = await messagePage(ctx, { ...query, agent })
      return { ...page, ...query, status: 'ok' as const }
    },
  }),

  route({
    name: 'agents.create',
    method: 'POST',
    path: '/api/agents/provision',
    summary: 'Create an agent',
    description: 'Starts the agent.',
    tag: 'agents',
    guard: 'session',
    body: provisioning,
    status: 201,
    response: webAgentAnswers.provisioned,
    errors: ['bad-request', 'unauthorized', 'payment-required', 'too-many-requests', 'unavailable'],
    codes: ['PROVISIONING_DISABLED', 'SUBSCRIPTION_REQUIRED'],
    notAudited: 'creates an agent within the paid plan',
    idempotent: true,
    handle: async (ctx, { body }) => {
      const agent = await provisionAgent(ctx, body)
      return { success: true as const, agent: webView(agent, ctx) }
    },
  }),

  route({
    name: 'agents.get',
    method: 'GET',
    path: '/api/agents/:id',
    summary: 'Get an agent',
    tag: 'agents',
    guard: 'session',
    params: agentParams,
    response: webAgentAnswers.detail,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params }) => {
      const agent = await requireAgent(ctx, { agentId: params.id, owner: ctx.owner })
      return { agent: webView(agent, ctx), status: 'ok' as const }
    },
  }),

  route({
    name: 'agents.delete',
    method: 'DELETE',
    path: '/api/agents/:id',
    summary: 'Delete an agent',
    description: 'Also deletes all its data.',
    tag: 'agents',
    guard: 'session',
    params: agentParams,
    response: agentAnswers.deleted,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    notAudited: 'deletes an agent and ends its costs',
    handle: async (ctx, { params }) => {
      const { owner } = ctx
      const { id: agentId } = await requireAgent(ctx, { agentId: params.id, owner })
      await deleteAgent(ctx, { agentId, owner })
      return { id: agentId, deleted: true as const }
    },
  }),

  route({
    name: 'agents.events',
    method: 'GET',
    path: '/api/agents/:id/events',
    summary: 'List events of an agent',
    description: 'Newest first.',
    tag: 'agents',
    guard: 'session',
    params: agentParams,
    query: eventsQuery(),
    response: agentEvents(),
    pages: true,
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params, query }) => {
      const agent = await requireAgent(ctx, { agentId: params.id, owner: ctx.owner })
      const { items: events, next } = await listEvents(ctx, { agent, ...query })
      return new Paged({ events }, next)
    },
  }),

  route({
    name: 'agents.traffic',
    method: 'GET',
    path: '/api/agents/:id/traffic',
    summary: 'Get the bytes that an agent sent and printed today',
    description: 'The day is in UTC. An unknown figure is null.',
    tag: 'agents',
    guard: 'session',
    params: agentParams,
    response: trafficAnswer,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params }) => {
      const agent = await requireAgent(ctx, { agentId: params.id, owner: ctx.owner })
      return { traffic: await trafficOfToday(ctx, { agent }) }
    },
  }),

  route({
    name: 'agents.createTicket',
    method: 'POST',
    path: '/api/agents/:id/ticket',
    summary: 'Create a sign-in link for an agent’s host',
    tag: 'agents',
    guard: 'session',
    params: agentParams,
    response: ticketAnswer,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    notAudited: 'a link for the user, valid once and for one minute',
    handle: async (ctx, { params }) => {
      const agent = await requireAgent(ctx, { agentId: params.id, owner: ctx.owner })
      return issueTicket(ctx, { agent, user: ctx.actor.user })
    },
  }),

  route({
    name: 'agents.config.get',
    method: 'GET',
    path: '/api/agents/:id/config',
    summary: 'Get the config of an agent',
    description: 'Secrets are masked.',
    tag: 'agents',
    guard: 'session',
    params: agentParams,
    response: configAnswers.shown,
    errors: ['unauthorized', 'not-found', 'too-many-requests', 'unavailable'],
    handle: async (ctx, { params }) => {
      const agent = await requireAgent(ctx, { agentId: params.id, owner: ctx.owner })
      return {
        config: await showConfig(ctx, agent),
        ...warningsOf(agent, ctx),
        status: 'ok' as const,
      }
    },
  }),

  route({
    name: 'agents.config.update',
    method: 'PUT',
    path: '/api/agents/:id/config',
    summary: 'Update the config of an agent',
    description: 'Merges the fields. Restarts the container if it runs.',
    tag: 'agents',
    guard: 'session',
    scope: ['write', 'money'],
    params: agentParams,
    query: configQuery,
    body: configUpdate,
    response: configAnswers.updated,
    errors: [
      'bad-request',
      'unauthorized',
      'payment-required',
      'forbidden',
      'not-found',
      'too-many-requests',
      'unavailable',
    ],
    codes: ['PLAN_REQUIRED'],
    notAudited: 'changes whether and how an agent runs, not money or access',
    handle: async (ctx, { params, query, body }) => {
      const { spendCapUsd: _cap, spendCapUsdPerDay: _day, ...rest } = body.config
      // A key with only the scope `money` can set the spend caps and nothing else.
      if (Object.keys(rest).length > 0) checkScope(ctx.actor, { method: 'PUT', scope: 'write' })
      const apply = query.apply === 'true'
      const input = { agentId: params.id, change: body.config, apply }
      const agent = await changeUsersConfig(ctx, input)
      await askForChannel(ctx, agent)
      return {
        config: await showConfig(ctx, agent),
        ...warningsOf(agent, ctx),
        status: 'updated' as const,
      }
    },
  }),
]

export const wire: (config: ConfigOf<'web-agents'>) => Wiring<Services> = agentManager

import { provisionUsersChannels } from '#shared/agents/fleet/channels/provision.ts'
import { channelAnswer, usersChannelProvisioning } from '#shared/agents/fleet/channels/schema.ts'
import { channelView } from '#shared/agents/fleet/channels/view.ts'
import { updateImage } from '#shared/agents/fleet/image/update.ts'
import { imageView } from '#shared/agents/fleet/image/view.ts'
import { restartAgent } from '#shared/agents/fleet/lifecycle/restart.ts'
import { startAgent } from '#shared/agents/fleet/lifecycle/start.ts'
import { stopAgent } from '#shared/agents/fleet/lifecycle/stop.ts'
import type { AgentContext, AgentQueue, AgentSetting } from '#shared/agents/record/context.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { runtimeVersion } from '#shared/agents/record/image/last-image.ts'
import { starterOf } from '#shared/agents/record/permit.ts'
import {
  instanceParams,
  agentParams,
  instanceAnswers,
  imageUpdate,
  replaced,
  agentAnswers,
} from '#shared/agents/record/schema.ts'
import { webView } from '#shared/agents/record/views.ts'
import { clearMemory } from '#shared/agents/workspace/reset-memory.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import { statsOf } from '#shared/operations/stats/agent-stats.ts'
import { containerStats } from '#shared/operations/stats/container.ts'
import { containerHealth } from '#shared/operations/stats/health.ts'
import { instanceDetails, instanceStats, agentStats } from '#shared/operations/stats/schema.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { agentManager } from '../common/agent-manager.ts'
import { startCodes, startErrors } from '../common/start-errors.ts'
import { senderRoutes } from './agent-lifecycle/senders.ts'
import { agentsLimit } from './agents/limit.ts'

/** Resetting an agent's memory sends a check to it. */
type Services = AgentContext<AgentQueue | 'checks'> & Reads<AgentSetting>

const route = routesWith<Services>()
const instance = routesWith<Services>({ limits: [{ scope: 'instance', perMinute: 30 }] })

/** Returns the caller's agent that a request names, and the caller's role. */
const startInput = async (
  ctx: Pick<UserContext, 'actor' | 'owner'> & AgentContext & Reads<AgentSetting>,
  id: string,
) => ({
  agent: await requireAgent(ctx, { agentId: id, owner: ctx.owner }),
  by: starterOf(ctx.actor),
})

export const routes = [
  ...senderRoutes,

  instance({
    name: 'agents.instance.get',
    method: 'GET',
    path: '/api/instance/:agentId',
    summary: 'Get an agent’s container',
    tag: 'instances',
    guard: 'session',
    params: instanceParams,
    response: instanceDetails,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params }) => {
      const agent = await requireAgent(ctx, { agentId: params.agentId, owner: ctx.owner })
      return { ...webView(agent, ctx), agentId: agent.id, userId: agent.userId }
    },
  }),

  instance({
    name: 'agents.instance.stats',
    method: 'GET',
    path: '/api/instance/:agentId/stats',
    summary: 'Get metrics of an agent’s container',
    description: 'An unknown metric is null.',
    tag: 'instances',
    guard: 'session',
    params: instanceParams,
    response: instanceStats,
    errors: ['unauthorized', 'not-found', 'too-many-requests', 'unavailable'],
    handle: async (ctx, { params }) => {
      const agent = await requireAgent(ctx, { agentId: params.agentId, owner: ctx.owner })
      const { userId, id: agentId, status } = agent
      const figures = await containerStats(
        { encryptionKey: ctx.config.WALLET_ENCRYPTION_KEY },
        { agent },
      )
      return {
        userId,
        agentId,
        status,
        health: containerHealth(agent),
        cpu: figures.cpuPercent,
        memory: figures.memoryBytes,
        uptimeMs: figures.uptimeMs,
        messages: figures.messages,
        errors: figures.errors,
        runtimeVersion: runtimeVersion(agent),
      }
    },
  }),

  route({
    name: 'agents.stats',
    method: 'GET',
    path: '/api/agents/:id/stats',
    summary: 'Get statistics of an agent',
    tag: 'agents',
    guard: 'session',
    limits: [agentsLimit],
    params: agentParams,
    response: agentStats,
    errors: ['unauthorized', 'not-found', 'too-many-requests', 'unavailable'],
    handle: async (ctx, { params }) => {
      const agent = await requireAgent(ctx, { agentId: params.id, owner: ctx.owner })
      const reach = { table: ctx.table, encryptionKey: ctx.config.WALLET_ENCRYPTION_KEY }
      return { stats: await statsOf(reach, { agent }), status: 'ok' as const }
    },
  }),

  instance({
    name: 'agents.start',
    method: 'POST',
    path: '/api/instance/:agentId/start',
    summary: 'Start an agent',
    tag: 'instances',
    guard: 'session',
    params: instanceParams,
    response: instanceAnswers.changed,
    errors: ['unauthorized', ...startErrors],
    codes: startCodes,
    notAudited: 'changes whether and how an agent runs, not money or access',
    idempotent: true,
    handle: async (ctx, { params }) => {
      const { status } = await startAgent(ctx, await startInput(ctx, params.agentId))
      return { success: true as const, status }
    },
  }),

  instance({
    name: 'agents.stop',
    method: 'POST',
    path: '/api/instance/:agentId/stop',
    summary: 'Stop an agent',
    tag: 'instances',
    guard: 'session',
    params: instanceParams,
    response: instanceAnswers.changed,
    errors: ['unauthorized', 'not-found', 'too-many-requests', 'internal'],
    codes: ['PROVISIONING_DISABLED'],
    notAudited: 'changes whether and how an agent runs, not money or access',
    idempotent: true,
    handle: async (ctx, { params }) => {
      const { agent } = await startInput(ctx, params.agentId)
      const { status } = await stopAgent(ctx, { agent })
      return { success: true as const, status }
    },
  }),

  instance({
    name: 'agents.restart',
    method: 'POST',
    path: '/api/instance/:agentId/restart',
    summary: 'Restart an agent',
    tag: 'instances',
    guard: 'session',
    params: instanceParams,
    response: instanceAnswers.restarted,
    errors: ['unauthorized', ...startErrors],
    codes: startCodes,
    notAudited: 'changes whether and how an agent runs, not money or access',
    idempotent: true,
    handle: async (ctx, { params }) => {
      const input = await startInput(ctx, params.agentId)
      const agent = await restartAgent(ctx, { ...input, reason: 'restart' })
      return { success: true as const, status: agent.status, runtimeVersion: runtimeVersion(agent) }
    },
  }),

  instance({
    name: 'agents.updateImage',
    method: 'POST',
    path: '/api/instance/:agentId/update',
    summary: 'Update the image of an agent',
    description:
      'Starts the agent with the new image. If the start fails, the agent returns to its previous image.',
    tag: 'instances',
    guard: 'session',
    params: instanceParams,
    body: imageUpdate,
    bodyOptional: true,
    response: instanceAnswers.updated,
    errors: ['bad-request', 'unauthorized', ...startErrors],
    codes: startCodes,
    audits: ['image.changed'],
    idempotent: true,
    handle: async (ctx, { params, body }) => {
      const input = await startInput(ctx, params.agentId)
      const agent = await updateImage(ctx, { ...input, image: body.image })
      return { success: true as const, status: agent.status, ...imageView(agent, ctx) }
    },
  }),

  instance({
    name: 'agents.repair',
    method: 'POST',
    path: '/api/instance/:agentId/repair',
    summary: 'Repair an agent',
    description: 'Starts the agent with a new container, from any state.',
    tag: 'instances',
    guard: 'session',
    params: instanceParams,
    response: instanceAnswers.repaired,
    errors: ['unauthorized', ...startErrors],
    codes: startCodes,
    notAudited: 'changes whether and how an agent runs, not money or access',
    idempotent: true,
    handle: async (ctx, { params }) => {
      const input = await startInput(ctx, params.agentId)
      const { status } = await restartAgent(ctx, { ...input, reason: 'repair' })
      return { success: true as const, status, message: replaced }
    },
  }),

  instance({
    name: 'agents.resetMemory',
    method: 'POST',
    path: '/api/instance/:agentId/reset-memory',
    summary: 'Reset the memory of an agent',
    description: 'Deletes its notes and conversations.',
    tag: 'instances',
    guard: 'session',
    params: instanceParams,
    response: agentAnswers.memoryReset,
    errors: ['unauthorized', 'not-found', 'too-many-requests', 'internal'],
    codes: ['PROVISIONING_DISABLED'],
    idempotent: true,
    notAudited: 'changes an agent’s memory, not money, access or credentials',
    handle: async (ctx, { params }) => {
      const agent = await requireAgent(ctx, { agentId: params.agentId, owner: ctx.owner })
      return { success: true as const, message: await clearMemory(ctx, { agent }) }
    },
  }),

  route({
    name: 'agents.createWithChannels',
    method: 'POST',
    path: '/api/provision',
    summary: 'Create an agent with chat channels',
    description: 'Starts the agent.',
    tag: 'instances',
    guard: 'session',
    limits: [{ scope: 'provision', perMinute: 5 }],
    body: usersChannelProvisioning,
    status: 201,
    response: channelAnswer,
    errors: ['bad-request', 'unauthorized', 'payment-required', 'too-many-requests', 'unavailable'],
    codes: [
      'AGENT_LIMIT_REACHED',
      'PLAN_REQUIRED',
      'PROVISIONING_DISABLED',
      'SUBSCRIPTION_REQUIRED',
    ],
    notAudited: 'creates an agent within the paid plan',
    idempotent: true,
    handle: async (ctx, { body }) => channelView(await provisionUsersChannels(ctx, body), ctx),
  }),
]

export const wire: (config: ConfigOf<'web-agent-lifecycle'>) => Wiring<Services> = agentManager

import { startCodes, startErrors } from '#functions/common/start-errors.ts'
import { deployAgent } from '#shared/agents/fleet/deploy.ts'
import { updateImage } from '#shared/agents/fleet/image/update.ts'
import { imageView } from '#shared/agents/fleet/image/view.ts'
import { restartAgent } from '#shared/agents/fleet/lifecycle/restart.ts'
import { startAgent } from '#shared/agents/fleet/lifecycle/start.ts'
import { stopAgent } from '#shared/agents/fleet/lifecycle/stop.ts'
import { readToken } from '#shared/agents/fleet/token/get.ts'
import { rotateToken } from '#shared/agents/fleet/token/rotate.ts'
import type { AgentContext, AgentQueue, AgentSetting } from '#shared/agents/record/context.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { starterOf } from '#shared/agents/record/permit.ts'
import {
  agentParams,
  agentAnswers,
  replaced,
  imageUpdate,
  deployment,
} from '#shared/agents/record/schema.ts'
import { backendStatus } from '#shared/agents/record/status.ts'
import { backendView } from '#shared/agents/record/views.ts'
import { clearMemory } from '#shared/agents/workspace/reset-memory.ts'
import { routesWith } from '#shared/http/route.ts'
import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'

/** Resetting an agent's memory sends a check to it. */
export type Services = AgentContext<AgentQueue | 'checks'> & Reads<AgentSetting>

const route = routesWith<Services>()

/** Returns the agent that a trusted caller names, and the caller's role. */
const startInput = async (
  ctx: Pick<Context<InternalActor>, 'actor' | 'owner'> & AgentContext & Reads<AgentSetting>,
  id: string,
) => ({
  agent: await requireAgent(ctx, { agentId: id, owner: ctx.owner }),
  by: starterOf(ctx.actor),
})

export const lifecycle = [
  route({
    name: 'agents.start',
    method: 'POST',
    path: '/api/agents/:id/start',
    summary: 'Start an agent',
    tag: 'agents',
    guard: 'internal',
    params: agentParams,
    response: agentAnswers.started,
    errors: ['unauthorized', 'forbidden', ...startErrors],
    codes: startCodes,
    notAudited: 'changes whether and how an agent runs, not money or access',
    idempotent: true,
    handle: async (ctx, { params }) => {
      const agent = await startAgent(ctx, await startInput(ctx, params.id))
      return { success: true as const, status: backendStatus(agent.status) }
    },
  }),

  route({
    name: 'agents.stop',
    method: 'POST',
    path: '/api/agents/:id/stop',
    summary: 'Stop an agent',
    tag: 'agents',
    guard: 'internal',
    params: agentParams,
    response: agentAnswers.started,
    errors: ['unauthorized', 'forbidden', 'not-found', 'too-many-requests', 'internal'],
    codes: ['PROVISIONING_DISABLED'],
    notAudited: 'changes whether and how an agent runs, not money or access',
    idempotent: true,
    handle: async (ctx, { params }) => {
      const agent = await stopAgent(ctx, await startInput(ctx, params.id))
      return { success: true as const, status: backendStatus(agent.status) }
    },
  }),

  route({
    name: 'agents.restart',
    method: 'POST',
    path: '/api/agents/:id/restart',
    summary: 'Restart an agent',
    tag: 'agents',
    guard: 'internal',
    params: agentParams,
    response: agentAnswers.restarted,
    errors: ['unauthorized', 'forbidden', ...startErrors],
    codes: startCodes,
    notAudited: 'changes whether and how an agent runs, not money or access',
    idempotent: true,
    handle: async (ctx, { params }) => {
      const input = await startInput(ctx, params.id)
      const agent = await restartAgent(ctx, { ...input, reason: 'restart' })
      return { success: true as const, ...backendView(agent, ctx) }
    },
  }),

  route({
    name: 'agents.repair',
    method: 'POST',
    path: '/api/agents/:id/repair',
    summary: 'Repair an agent',
    description: 'Starts the agent with a new container, from any state.',
    tag: 'agents',
    guard: 'internal',
    params: agentParams,
    response: agentAnswers.repaired,
    errors: ['unauthorized', 'forbidden', ...startErrors],
    codes: startCodes,
    notAudited: 'changes whether and how an agent runs, not money or access',
    idempotent: true,
    handle: async (ctx, { params }) => {
      const input = await startInput(ctx, params.id)
      const { status } = await restartAgent(ctx, { ...input, reason: 'repair' })
      return { success: true as const, status: backendStatus(status), message: replaced }
    },
  }),

  route({
    name: 'agents.updateImage',
    method: 'POST',
    path: '/api/agents/:id/update',
    summary: 'Update the image of an agent',
    description:
      'Starts the agent with the new image. If the start fails, the agent returns to its previous image.',
    tag: 'agents',
    guard: 'internal',
    params: agentParams,
    body: imageUpdate,
    bodyOptional: true,
    response: agentAnswers.updatedImage,
    errors: ['bad-request', 'unauthorized', 'forbidden', ...startErrors],
    codes: startCodes,
    audits: ['image.changed'],
    idempotent: true,
    handle: async (ctx, { params, body }) => {
      const input = await startInput(ctx, params.id)
      const agent = await updateImage(ctx, { ...input, image: body.image })
      const status = backendStatus(agent.status)
      return { success: true as const, status, ...imageView(agent, ctx) }
    },
  }),

  route({
    name: 'agents.resetMemory',
    method: 'POST',
    path: '/api/agents/:id/reset-memory',
    summary: 'Reset the memory of an agent',
    description: 'Deletes its notes and conversations.',
    tag: 'agents',
    guard: 'internal',
    params: agentParams,
    response: agentAnswers.memoryReset,
    errors: ['unauthorized', 'forbidden', 'not-found', 'too-many-requests', 'internal'],
    codes: ['PROVISIONING_DISABLED'],
    idempotent: true,
    notAudited: 'changes an agent’s memory, not money, access or credentials',
    handle: async (ctx, { params }) => {
      const agent = await requireAgent(ctx, { agentId: params.id, owner: ctx.owner })
      return { success: true as const, message: await clearMemory(ctx, { agent }) }
    },
  }),

  route({
    name: 'agents.token.get',
    method: 'GET',
    path: '/api/agents/:id/token',
    summary: 'Get the gateway token of an agent',
    tag: 'agents',
    guard: 'internal',
    params: agentParams,
    response: agentAnswers.token,
    errors: ['unauthorized', 'forbidden', 'not-found', 'too-many-requests', 'unavailable'],
    handle: async (ctx, { params }) => ({
      token: await readToken(ctx, { agentId: params.id }),
    }),
  }),

  route({
    name: 'agents.token.rotate',
    method: 'POST',
    path: '/api/agents/:id/token',
    summary: 'Rotate the gateway token of an agent',
    description: 'Replaces the container if it runs.',
    tag: 'agents',
    guard: 'internal',
    params: agentParams,
    response: agentAnswers.token,
    errors: ['unauthorized', 'forbidden', ...startErrors, 'unavailable'],
    codes: startCodes,
    notAudited: 'rotates a token that only the platform and the container have',
    handle: async (ctx, { params }) => ({
      token: await rotateToken(ctx, { agentId: params.id }),
    }),
  }),

  route({
    name: 'agents.deploy',
    method: 'POST',
    path: '/api/deployments',
    summary: 'Start an agent and wait',
    description: 'Waits up to 15 s. Returns 200 if the agent was already running.',
    tag: 'deployments',
    guard: 'internal',
    limits: [{ scope: 'deployments', perMinute: 5, message: 'Deployment rate limit exceeded.' }],
    body: deployment,
    status: 201,
    response: agentAnswers.deployed,
    errors: ['bad-request', 'unauthorized', 'forbidden', ...startErrors],
    codes: startCodes,
    notAudited: 'changes whether and how an agent runs, not money or access',
    idempotent: true,
    handle: async (ctx, { body }) => {
      const { agent, wasRunning } = await deployAgent(ctx, body)
      const answer = { ...backendView(agent, ctx), id: `deploy-${agent.id}` }
      return wasRunning ? Response.json(agentAnswers.deployed.parse(answer)) : answer
    },
  }),
]

import { deployAgent as deploy } from '../../../shared/agents/lifecycle/deploy.ts'
import { agentAnswers, deployment } from '../../../shared/agents/schema.ts'
import { backendView } from '../../../shared/agents/views.ts'
import { route } from './services.ts'

export const deployAgent = route({
  method: 'POST',
  path: '/api/deployments',
  summary: 'Start an agent and wait up to 15 s for it; 200 where it was running already',
  tag: 'deployments',
  guard: 'internal',
  body: deployment,
  status: 201,
  response: agentAnswers.deployed,
  errors: [
    'bad-request',
    'unauthorized',
    'forbidden',
    'not-found',
    'too-many-requests',
    'internal',
  ],
  idempotent: true,
  handle: async (ctx, { body }) => {
    const { agent, wasRunning } = await deploy(ctx, ctx.actor.userId, body)
    const answer = { ...backendView(agent, ctx), id: `deploy-${agent.id}` }
    return wasRunning ? Response.json(agentAnswers.deployed.parse(answer)) : answer
  },
})

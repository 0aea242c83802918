import type * as z from 'zod'
import type { ReachContext } from '#shared/agents/agent-gateway/gateway.ts'
import { askHealth } from '#shared/agents/agent-gateway/health.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { listCredentials } from '#shared/agents/record/credentials/list.ts'
import { readMemory } from '#shared/agents/workspace/memory/read.ts'
import { listSessions, readSession } from '#shared/agents/workspace/sessions/read.ts'
import { listInstalled } from '#shared/agents/workspace/skills/installed.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { chooseAgent } from '../chat/choose-agent.ts'
import { type agentAnswer, type AgentQuestion, possibleActions } from './schema.ts'

type Answer = z.input<typeof agentAnswer>

/**
 * Answers a question about a user's agent. Without an action, returns the agent and the possible actions.
 * @throws PlatformError 404 for an unknown agent or session; for sessions also 409, 502, 504: agent-gateway/gateway.ts
 */
export async function askAgent(
  ctx: Pick<UserContext, 'owner' | 'table' | 'log'> & ReachContext,
  { action, agentId, sessionId = '' }: AgentQuestion,
): Promise<Answer> {
  const agent = await chooseAgent(ctx, { agentId })
  if (agent === undefined) throw notFound('Agent')
  switch (action) {
    case undefined:
      return overviewOf(agent)
    case 'health':
      return { agentId: agent.id, status: agent.status, ...(await askHealth(ctx, agent)) }
    case 'sessions':
      return listSessions(ctx, { agent })
    case 'session':
      return readSession(ctx, { agent, sessionId })
    case 'memory':
      return readMemory(ctx, { agent })
    case 'skills': {
      const skills = await listInstalled(ctx, { agent })
      return { skills, count: skills.length }
    }
    case 'credentials': {
      const credentials = await listCredentials(ctx, { agent })
      return { credentials, count: credentials.length }
    }
  }
}

function overviewOf({ id, name, model, plan, status, createdAt }: Agent): Answer {
  return { agent: { id, name, model, plan, status, createdAt }, actions: possibleActions }
}

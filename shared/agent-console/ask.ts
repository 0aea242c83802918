import type * as z from 'zod'
import type { Agent } from '../agents/agent.ts'
import { listCredentials } from '../agents/credentials/list.ts'
import { readMemory } from '../workspace/memory/read.ts'
import { askHealth } from '../agent-gateway/health.ts'
import { listSessions, readSession } from '../workspace/sessions/read.ts'
import type { SyncContext } from '../workspace/ensure.ts'
import { chooseAgent } from '../chat/choose-agent.ts'
import type { UserContext } from '../identity/context.ts'
import { notFound } from '../platform/errors.ts'
import { listInstalled } from '../workspace/skills/installed.ts'
import { type agentAnswer, type AgentQuestion, possibleActions } from './schema.ts'

type Answer = z.input<typeof agentAnswer>

/**
 * Answers a question about a user's agent. Without an action, returns the agent and the possible actions.
 * @throws PlatformError 404 for an unknown agent or session; for sessions also 409, 502, 504: reach/gateway.ts
 */
export async function askAgent(
  ctx: SyncContext & Pick<UserContext, 'actor'>,
  { action, agentId, sessionId = '' }: AgentQuestion,
): Promise<Answer> {
  const userId = ctx.actor.user.id
  const agent = await chooseAgent(ctx, { userId, agentId })
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

import type * as z from 'zod'
import { agentGateway, type ReachContext } from '#shared/agents/agent-gateway/gateway.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { newSession, sessionDetail, sessionList } from './schema.ts'

/**
 * Lists the conversations of a running agent, newest first.
 * @throws PlatformError as agent-gateway/gateway.ts
 */
export async function listSessions(ctx: ReachContext, { agent }: { agent: Agent }) {
  const gateway = await agentGateway(ctx, agent)
  return validated(sessionList, await gateway.get('/sessions'))
}

/**
 * Returns a conversation of a running agent with its messages.
 * @throws PlatformError 404, and as agent-gateway/gateway.ts
 */
export async function readSession(
  ctx: ReachContext,
  { agent, sessionId }: { agent: Agent; sessionId: string },
) {
  const gateway = await agentGateway(ctx, agent)
  const path = `/sessions/${encodeURIComponent(sessionId)}`
  return validated(sessionDetail, await gateway.get(path))
}

/**
 * Creates a conversation with a running agent.
 * @throws PlatformError as agent-gateway/gateway.ts
 */
export async function createSession(
  ctx: ReachContext,
  { agent }: { agent: Agent },
): Promise<string> {
  const gateway = await agentGateway(ctx, agent)
  return validated(newSession, await gateway.post('/sessions', {})).sessionId
}

/** Validates a response, because an agent may be another program and respond with anything. */
function validated<S extends z.ZodType>(schema: S, response: unknown): z.output<S> {
  const read = schema.safeParse(response)
  if (read.success) return read.data
  throw new PlatformError('bad-gateway', 'The agent’s answer cannot be read', {
    code: 'AGENT_FAILED',
    cause: read.error,
  })
}

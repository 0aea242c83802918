import type * as z from 'zod'
import { PlatformError } from '../../platform/errors.ts'
import type { Agent } from '../../agents/agent.ts'
import { agentGateway, type ReachContext } from '../../agent-gateway/gateway.ts'
import { newSession, sessionDetail, sessionList } from './schema.ts'

/** The conversations of a running agent, the newest first. @throws PlatformError as reach/gateway.ts */
export async function listSessions(ctx: ReachContext, { agent }: { agent: Agent }) {
  const gateway = await agentGateway(ctx, agent)
  return understood(sessionList, await gateway.get('/sessions'))
}

/** One conversation of a running agent, word for word. @throws PlatformError 404, and as reach/gateway.ts */
export async function readSession(
  ctx: ReachContext,
  { agent, sessionId }: { agent: Agent; sessionId: string },
) {
  const gateway = await agentGateway(ctx, agent)
  const path = `/sessions/${encodeURIComponent(sessionId)}`
  return understood(sessionDetail, await gateway.get(path))
}

/** Opens a conversation with a running agent. @throws PlatformError as reach/gateway.ts */
export async function createSession(
  ctx: ReachContext,
  { agent }: { agent: Agent },
): Promise<string> {
  const gateway = await agentGateway(ctx, agent)
  return understood(newSession, await gateway.post('/sessions', {})).sessionId
}

/** An agent may be another program, or answer anything. */
function understood<S extends z.ZodType>(schema: S, said: unknown): z.output<S> {
  const read = schema.safeParse(said)
  if (read.success) return read.data
  throw new PlatformError('bad-gateway', 'The agent’s answer cannot be read', {
    code: 'AGENT_FAILED',
    cause: read.error,
  })
}

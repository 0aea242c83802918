import { locate, type ReachContext } from '../agent-gateway/gateway.ts'
import type { AgentRequest } from '../agent-gateway/request.ts'
import type { RunningAgent } from '../agents/running.ts'
import type { Words } from './earlier.ts'
import type { ChatRequest } from './schema.ts'

/** What is said in a turn. */
export interface TurnRequest extends ChatRequest {
  /** What the agent must know for this turn alone. */
  instructions?: string
  /** It belongs to no conversation: the agent neither remembers it nor sees it in the light of earlier ones. */
  alone?: true
}

/**
 * What a turn sends to the agent's gateway.
 * @param input.earlier what was said before, for a container that cannot know
 */
export async function turnRequest(
  ctx: ReachContext,
  input: {
    agent: RunningAgent
    request: TurnRequest
    earlier: readonly Words[]
    trace: { traceparent: string; tracestate: string }
  },
): Promise<AgentRequest> {
  const { agent, request, earlier, trace } = input
  const { message, topic, stream, instructions, alone } = request
  return {
    ...(await locate(ctx, agent)),
    traceparent: trace.traceparent,
    tracestate: trace.tracestate,
    method: 'POST',
    path: '/v1/chat/completions',
    body: {
      // The agent itself, with the model that it uses.
      model: 'openclaw',
      ...(alone !== true && { user: topic ?? 'default' }),
      messages: [
        ...(instructions === undefined ? [] : [{ role: 'system', content: instructions }]),
        ...earlier,
        { role: 'user', content: message },
      ],
      ...(stream && { stream, stream_options: { include_usage: true } }),
    },
  }
}

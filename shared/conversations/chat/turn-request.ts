import { locate, type ReachContext } from '#shared/agents/agent-gateway/gateway.ts'
import type { AgentRequest } from '#shared/agents/agent-gateway/request.ts'
import type { RunningAgent } from '#shared/agents/record/running.ts'
import type { EarlierMessage } from './earlier.ts'
import type { ChatRequest } from './schema.ts'

/** The request of a turn. */
export interface TurnRequest extends ChatRequest {
  /** Instructions that apply only to this turn. */
  instructions?: string
  /** True if the turn belongs to no conversation: the agent does not remember it and gets no earlier messages. */
  alone?: true
}

/**
 * Builds the request to the agent's gateway.
 * @param input.earlier earlier messages, for a new container
 */
export async function turnRequest(
  ctx: ReachContext,
  input: {
    agent: RunningAgent
    request: TurnRequest
    earlier: readonly EarlierMessage[]
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
      // Selects the agent itself, with its configured model.
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

import type { IncomingHttpHeaders } from 'node:http'
import { invalid } from '../http/problem.ts'
import { sessionIdLimit } from '../workspace/sessions.ts'
import { readMessages } from './messages.ts'
import type { Message } from './messages.ts'

/** A chat request after its checks. */
export type ChatRequest = {
  messages: Message[]
  /** Names the session that remembers the conversation; without it the request stands alone. */
  sessionId: string | undefined
  /** What goes to the AI gateway beside the messages. */
  passed: Record<string, unknown>
}

/** Names the agent rather than a model, as the deployed image's gateway has it. */
const ownModel = /^openclaw(?:$|[/:])/

/**
 * Checks a chat request in OpenAI's form. The session's name is `user`, or the x-session-id header.
 * The model is the request's; else, or when it names the agent (`openclaw`), the agent's own; with
 * neither, none is sent and the AI gateway chooses.
 * @throws Problem 400 naming the field at fault
 */
export function readChatRequest(
  body: Record<string, unknown>,
  headers: IncomingHttpHeaders,
  agentModel: string | undefined,
): ChatRequest {
  const { messages, user, model, stream, ...rest } = body
  if (stream !== undefined && typeof stream !== 'boolean') {
    throw invalid('stream', 'stream must be true or false')
  }
  if (model !== undefined && typeof model !== 'string') {
    throw invalid('model', 'model must be a string')
  }
  const chosen = model === undefined || ownModel.test(model) ? agentModel : model
  return {
    messages: readMessages(messages),
    sessionId: readSessionId(user ?? headers['x-session-id']),
    passed: {
      ...rest,
      ...(chosen === undefined ? {} : { model: chosen }),
      // Without this OpenAI's form has no usage in a stream, and its last chunk is part of ours.
      ...(stream === true ? { stream, stream_options: { include_usage: true } } : {}),
    },
  }
}

function readSessionId(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && value.length > 0 && value.length <= sessionIdLimit) return value
  throw invalid('user', `user must be a string of 1 to ${sessionIdLimit} characters`)
}

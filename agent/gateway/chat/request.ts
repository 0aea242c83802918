import * as z from 'zod'
import { check } from '../http/input.ts'
import { sessionIdLimit } from '../workspace/sessions.ts'
import { type Message, messageSchema } from './messages.ts'

/** A validated chat request. */
export interface ChatRequest {
  messages: Message[]
  /** The session that stores the conversation; undefined for a single request. */
  sessionId: string | undefined
  /** The fields for the AI gateway other than the messages. */
  passed: Record<string, unknown>
}

/** A request in OpenAI's format. */
const chatSchema = z.looseObject({
  messages: z.array(messageSchema).min(1),
  user: z.string().min(1).max(sessionIdLimit).nullish(),
  model: z.string().nullish(),
  stream: z.boolean().nullish(),
})

/** Model names that mean the agent itself, as in the deployed image's gateway. */
const ownModel = /^openclaw(?:$|[/:])/

/**
 * Validates a chat request. `user` is its session. The model is the request's; if it is absent or `openclaw`, the agent's
 * own. Without either, no model is sent and the AI gateway selects one.
 * @throws Problem 400 that names the invalid field
 */
export function readChatRequest(value: unknown, agentModel: string | undefined): ChatRequest {
  const { messages, user, model, stream, ...rest } = check(chatSchema, value)
  const chosen = typeof model !== 'string' || ownModel.test(model) ? agentModel : model
  return {
    messages: messages.map(withoutNullFields),
    sessionId: user ?? undefined,
    passed: {
      ...withoutNulls(rest),
      ...(chosen === undefined ? {} : { model: chosen }),
      ...(stream === true ? { stream } : {}),
    },
  }
}

/** Many clients send null for an absent field. Providers refuse null in some fields. */
function withoutNulls(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

function withoutNullFields({ role, content, ...rest }: Message): Message {
  return { role, ...(content !== undefined && { content }), ...withoutNulls(rest) }
}

import * as z from 'zod'
import { check } from '../http/input.ts'
import { sessionIdLimit } from '../workspace/sessions.ts'
import { type Message, messageSchema } from './messages.ts'

/** A chat request after its checks. */
export interface ChatRequest {
  messages: Message[]
  /** Names the session that remembers the conversation; without it the request stands alone. */
  sessionId: string | undefined
  /** What goes to the AI gateway beside the messages. */
  passed: Record<string, unknown>
}

/** A request in OpenAI's form. */
const chatSchema = z.looseObject({
  messages: z.array(messageSchema).min(1),
  user: z.string().min(1).max(sessionIdLimit).nullish(),
  model: z.string().nullish(),
  stream: z.boolean().nullish(),
})

/** Names the agent rather than a model, as the deployed image's gateway has it. */
const ownModel = /^openclaw(?:$|[/:])/

/**
 * Checks a chat request. `user` names its session. The model is the request's; else, or when it names the agent
 * (`openclaw`), the agent's own; with neither, none is sent and the AI gateway chooses.
 * @throws Problem 400 naming the field at fault
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
      // Without this OpenAI's form has no usage in a stream, and its last chunk is part of ours.
      ...(stream === true ? { stream, stream_options: { include_usage: true } } : {}),
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

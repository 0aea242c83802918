import { Problem, invalid } from '../http/problem.ts'

const roles = ['system', 'user', 'assistant', 'tool'] as const

/** One message in OpenAI's form. Fields that the gateway does not read are kept and passed on. */
export type Message = {
  role: (typeof roles)[number]
  content?: string | readonly unknown[] | null
  [field: string]: unknown
}

/**
 * Checks the `messages` of a chat request.
 * @throws Problem 400 naming the message at fault
 */
export function readMessages(value: unknown): Message[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw invalid('messages', 'messages must be an array of at least one message')
  }
  const wrong = value.findIndex((message) => !isMessage(message))
  if (wrong < 0) return value as Message[]
  throw invalid(
    `messages[${wrong}]`,
    `messages[${wrong}] must have a role of ${roles.join(', ')}, and content that is text, parts or null`,
  )
}

function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null) return false
  const { role, content } = value as Record<string, unknown>
  const known = roles.some((name) => name === role)
  const fits = content === null || content === undefined || Array.isArray(content)
  return known && (fits || typeof content === 'string')
}

/** A request's messages, told apart for a session that remembers what came before. */
export type Input = { instructions: Message[]; earlier: Message[]; turn: Message[] }

/**
 * Takes from a request what is new in it: the messages after its last answer. What stands before
 * is the session's own to remember, so a caller may send only the new message or the whole
 * transcript; a session that remembers nothing takes it for its own. System messages count for this
 * turn and are not remembered.
 * @throws Problem 400 when nothing is new
 */
export function newInput(messages: readonly Message[]): Input {
  const answered = messages.findLastIndex((message) => message.role === 'assistant')
  const said = (part: readonly Message[]) => part.filter((message) => message.role !== 'system')
  const turn = said(messages.slice(answered + 1))
  if (turn.length === 0) {
    throw new Problem(400, 'invalid_request', 'messages has nothing after the last answer', {
      param: 'messages',
    })
  }
  const instructions = messages.filter((message) => message.role === 'system')
  return { instructions, earlier: said(messages.slice(0, answered + 1)), turn }
}

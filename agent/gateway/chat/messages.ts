import * as z from 'zod'
import { invalid } from '../http/problem.ts'

/** One message in OpenAI's form. Fields that the gateway does not read are kept and passed on. */
export const messageSchema = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(z.unknown())], 'must be text, parts or null').nullish(),
})

export type Message = z.infer<typeof messageSchema>

/** A request's messages, told apart for a session that remembers what came before. */
export interface Input {
  instructions: Message[]
  earlier: Message[]
  turn: Message[]
}

/**
 * Takes from a request what is new in it: the messages after its last answer. What stands before
 * is the session's own to remember, so a caller may send only the new message or the whole
 * transcript; a session that remembers nothing takes it for its own. Messages of the system or the developer count for
 * this turn and are not remembered.
 * @throws Problem 400 when nothing is new
 */
export function newInput(messages: readonly Message[]): Input {
  const answered = messages.findLastIndex((message) => message.role === 'assistant')
  const instructs = ({ role }: Message) => role === 'system' || role === 'developer'
  const said = (part: readonly Message[]) => part.filter((message) => !instructs(message))
  const turn = said(messages.slice(answered + 1))
  if (turn.length === 0) {
    throw invalid('messages', 'messages has nothing after the last answer')
  }
  const instructions = messages.filter(instructs)
  return { instructions, earlier: said(messages.slice(0, answered + 1)), turn }
}

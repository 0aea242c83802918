import * as z from 'zod'
import { invalid } from '../http/problem.ts'

/** A message in OpenAI's format. `function` is the older name of `tool`. Fields that the gateway does not read are stored and forwarded. */
export const messageSchema = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(z.unknown())], 'must be text, parts or null').nullish(),
})

export type Message = z.infer<typeof messageSchema>

/** A request's messages, split for a session with a history. */
export interface Input {
  instructions: Message[]
  earlier: Message[]
  turn: Message[]
}

/**
 * Returns the new messages of a request: those after its last reply. The session stores the earlier ones itself, so a
 * caller may send only the new message or the whole transcript. A session without a history takes the transcript as its
 * own. System and developer messages apply to this turn only and are not stored.
 * @throws Problem 400 if there is no new message
 */
export function newInput(messages: readonly Message[]): Input {
  const answered = messages.findLastIndex((message) => message.role === 'assistant')
  const instructs = ({ role }: Message) => role === 'system' || role === 'developer'
  const withoutInstructions = (part: readonly Message[]) =>
    part.filter((message) => !instructs(message))
  const turn = withoutInstructions(messages.slice(answered + 1))
  if (turn.length === 0) {
    throw invalid('messages', 'messages contains no message after the last answer')
  }
  const instructions = messages.filter(instructs)
  return { instructions, earlier: withoutInstructions(messages.slice(0, answered + 1)), turn }
}

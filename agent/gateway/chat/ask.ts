import { isMoreThanWords, toldInWords } from './history.ts'
import type { Message } from './messages.ts'
import { readWhole, type UpstreamAnswer } from './upstream.ts'

/** A request to the model. */
export interface Question {
  messages: Message[]
  tools?: unknown
  tool_choice?: 'none'
}

type Ask = (question: Question) => Promise<UpstreamAnswer>

/** A model that is asked about one conversation. */
export interface Asker {
  ask: Ask
  /** The messages that were sent as plain text: none, the history before the turn, or also the rounds of this turn. */
  readonly retold: 'none' | 'history' | 'all'
}

const goOn: Message = { role: 'user', content: 'Go on.' }

/**
 * Asks a model, and where its provider refuses what the conversation carries of earlier rounds (calls of tools, fields
 * of the model that answered then), once more with them told in words. A provider may want fields that another model
 * never gave, or refuse those that it did; a conversation would be refused for good.
 * @param given.from where that begins: what a caller sends without a session is its own to say in another form
 * @param given.turnAt where the turn's own messages begin
 */
export function askerOf(ask: Ask, given: { from: number; turnAt: number }): Asker {
  const { from, turnAt } = given
  let retold: Asker['retold'] = 'none'
  let until = from

  async function askAgain(question: Question): Promise<UpstreamAnswer> {
    const { messages } = question
    const told = [...messages.slice(0, from), ...toldInWords(messages.slice(from, until))]
    const rest = messages.slice(until)
    // The last message must be the user's: an assistant's message asks nothing.
    const asks = until > from && rest.length === 0 ? [goOn] : []
    const answer = await ask({ ...question, messages: [...told, ...rest, ...asks] })
    if (answer.status !== 400 && answer.status !== 422) return answer
    const isHistory = isMoreThanWords(messages.slice(until, turnAt))
    if (!isHistory && !isMoreThanWords(rest)) return answer
    await readWhole(answer)
    until = isHistory ? turnAt : messages.length
    retold = isHistory ? 'history' : 'all'
    return askAgain(question)
  }

  return {
    ask: askAgain,
    get retold() {
      return retold
    },
  }
}

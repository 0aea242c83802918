import { isMoreThanWords, asPlainText } from './history.ts'
import type { Message } from './messages.ts'
import { readWhole, type UpstreamAnswer } from './upstream.ts'

/** A request to the model. */
export interface ModelRequest {
  messages: Message[]
  tools?: unknown
  tool_choice?: 'none'
}

type Ask = (question: ModelRequest) => Promise<UpstreamAnswer>

/** Sends the requests of one conversation to a model. */
export interface ModelClient {
  ask: Ask
  /**
   * The messages that were sent as plain text: none, the history before the turn, or the rounds of this turn as well.
   */
  readonly retold: 'none' | 'history' | 'all'
}

const goOn: Message = { role: 'user', content: 'Go on.' }

/**
 * Sends a request to a model. If the provider refuses tool calls or model fields of earlier rounds, the request is sent
 * again with these rounds as plain text. A provider may require fields that another model did not send, or refuse the
 * fields that it did send. Without the second request it would refuse the conversation forever.
 * @param position.from the first message that may become plain text. Messages from a caller without a session stay unchanged
 * @param position.turnAt the first message of the turn
 */
export function askerOf(ask: Ask, position: { from: number; turnAt: number }): ModelClient {
  const { from, turnAt } = position
  let retold: ModelClient['retold'] = 'none'
  let until = from

  async function askAgain(question: ModelRequest): Promise<UpstreamAnswer> {
    const { messages } = question
    const plainMessages = [...messages.slice(0, from), ...asPlainText(messages.slice(from, until))]
    const rest = messages.slice(until)
    // The last message must be the user's, because a request that ends with the assistant's message has no question.
    const asks = until > from && rest.length === 0 ? [goOn] : []
    const answer = await ask({ ...question, messages: [...plainMessages, ...rest, ...asks] })
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

import { wholeAnswer } from '../chat/answer.ts'
import { type Agent, askModel } from '../chat/complete.ts'
import { followStream, type StreamItem } from '../chat/follow.ts'
import type { Message } from '../chat/messages.ts'
import { readChatRequest } from '../chat/request.ts'
import { problemOf } from '../chat/responses.ts'
import { readWhole } from '../chat/upstream.ts'
import { Problem } from '../http/problem.ts'
import type { SocketMessage } from './message.ts'

export interface SocketTurn {
  requestId: string
  signal: AbortSignal
  left: () => boolean
  /** Sends a part of the reply. Resolves when there is room for more. */
  tell: (delta: string) => Promise<void>
}

/**
 * Runs one message like a chat request in its session and sends the reply in parts.
 * @returns the whole reply
 * @throws Problem if there is no reply or it broke, as for a request
 */
export async function runSocketTurn(
  agent: Agent,
  input: SocketMessage,
  talk: SocketTurn,
): Promise<Message> {
  const messages = [{ role: 'user', content: input.message }]
  const request = { messages, user: input.session, stream: true }
  const chat = readChatRequest(request, agent.settings.ai.model)
  const { upstream, keep, form } = await askModel(agent, chat, talk)
  if (form !== 'stream') {
    const text = (await readWhole(upstream)).toString('utf8')
    if (form === 'error') throw problemOf(text, upstream.status)
    const answer = wholeAnswer(text)
    await keep(answer, true)
    if (answer === undefined) throw silent()
    await talk.tell(String(answer.content ?? ''))
    return answer
  }
  let failure: Problem | undefined
  const reader = {
    left: talk.left,
    take: async (item: StreamItem, text: string) => {
      if (typeof item !== 'string' && item.event === 'error') failure = problemOf(item.data, 502)
      if (text !== '') await talk.tell(text)
    },
  }
  const answer = await followStream({ upstream, reader, keep })
  if (answer === undefined) throw failure ?? silent()
  return answer
}

const silent = () => new Problem(502, 'no_answer', 'The AI gateway returned no reply')

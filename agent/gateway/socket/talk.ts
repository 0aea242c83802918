import { wholeAnswer } from '../chat/answer.ts'
import { converse } from '../chat/complete.ts'
import type { Agent } from '../chat/complete.ts'
import { followStream } from '../chat/follow.ts'
import type { Said } from '../chat/follow.ts'
import type { Message } from '../chat/messages.ts'
import { problemOf } from '../chat/pass-on.ts'
import { readChatRequest } from '../chat/request.ts'
import { callUpstream, readWhole } from '../chat/upstream.ts'
import { Problem } from '../http/problem.ts'
import type { Saying } from './saying.ts'

export type Talk = {
  requestId: string
  signal: AbortSignal
  left: () => boolean
  /** Sends a piece of the answer; resolves once there is room for the next one. */
  tell: (delta: string) => Promise<void>
}

/**
 * Runs one message as a chat request of its session would, and tells the answer piece by piece.
 * @returns the whole answer
 * @throws Problem where there is none or it broke off, as a request would be answered
 */
export async function talk(agent: Agent, saying: Saying, talk: Talk): Promise<Message> {
  const { ai } = agent.settings
  const messages = [{ role: 'user', content: saying.message }]
  const chat = readChatRequest({ messages, user: saying.session, stream: true }, {}, ai.model)
  const { messages: all, keep } = await converse(agent, chat)
  const upstream = await callUpstream(ai, {
    method: 'POST',
    path: '/chat/completions',
    body: { ...chat.passed, messages: all },
    requestId: talk.requestId,
    signal: talk.signal,
  })
  if (upstream.status < 200 || upstream.status > 299) throw await problemOf(upstream)
  if (upstream.headers['content-type']?.startsWith('text/event-stream') !== true) {
    const answer = wholeAnswer((await readWhole(upstream)).toString('utf8'))
    await keep(answer, true)
    if (answer === undefined) throw silent()
    await talk.tell(String(answer.content ?? ''))
    return answer
  }
  const listener = new Listener(talk)
  const answer = await followStream({ upstream, reader: listener, keep })
  if (answer === undefined) throw listener.failure ?? silent()
  return answer
}

const silent = () => new Problem(502, 'no_answer', 'The AI gateway answered nothing')

/** Hears the chunks of a stream and tells the text in them. */
class Listener {
  failure: Problem | undefined
  readonly left: () => boolean
  readonly #tell: Talk['tell']

  constructor({ left, tell }: Talk) {
    this.left = left
    this.#tell = tell
  }

  async take(said: Said): Promise<void> {
    if (typeof said === 'string' || said.data === '[DONE]') return
    const value = parse(said.data)
    if (said.event === 'error') this.failure = failureOf(value)
    const content = value.choices?.[0]?.delta?.content
    if (typeof content === 'string' && content !== '') await this.#tell(content)
  }
}

type Chunk = { choices?: { delta?: { content?: unknown } }[]; error?: unknown; code?: unknown }

function parse(data: string): Chunk {
  try {
    return Object(JSON.parse(data)) as Chunk
  } catch {
    // The stream goes on without what is no chunk, as it does for a request.
    return {}
  }
}

/** Breaks come in OpenAI's form or as `{error, code}`: contract.md 5. */
function failureOf({ error, code }: Chunk): Problem {
  const given = (
    typeof error === 'object' && error !== null ? error : { message: error, code }
  ) as {
    message?: unknown
    code?: unknown
  }
  return new Problem(
    502,
    typeof given.code === 'string' ? given.code : 'upstream_cut',
    typeof given.message === 'string' ? given.message : 'The AI gateway’s answer broke off',
  )
}

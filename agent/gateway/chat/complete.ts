import type { Context } from 'hono'
import type { Env } from '../http/app.ts'
import type { Settings } from '../settings.ts'
import type { Memory } from '../workspace/memory.ts'
import type { Sessions } from '../workspace/sessions.ts'
import type { Skills } from '../workspace/skills.ts'
import { wholeAnswer } from './answer.ts'
import type { Keep } from './follow.ts'
import { type Message, newInput } from './messages.ts'
import { errorResponse, wholeResponse } from './pass-on.ts'
import { recentHistory, systemMessage } from './prompt.ts'
import { relayStream } from './relay.ts'
import type { ChatRequest } from './request.ts'
import { callUpstream, readWhole, type UpstreamAnswer } from './upstream.ts'

export interface Agent {
  settings: Settings
  sessions: Sessions
  memory: Memory
  skills: Skills
}

/** How much of a session is read to fill the prompt's history. */
const historyBytes = 262_144

interface Conversation {
  messages: Message[]
  keep: Keep
}

/**
 * Runs one chat request: puts instructions, memory, skills and the session's history before it, asks
 * the AI gateway, passes its answer on and keeps both ends in the session. A turn without any answer is not kept, so that trying again
 * does not say the same thing twice.
 */
export async function complete(
  agent: Agent,
  chat: ChatRequest,
  c: Context<Env>,
): Promise<Response> {
  const { upstream, keep, form } = await askModel(agent, chat, c.var)
  if (form === 'error') return errorResponse(upstream)
  if (form === 'stream') return relayStream(c, upstream, keep)
  const body = await readWhole(upstream)
  await keep(wholeAnswer(body.toString('utf8')), true)
  return wholeResponse(upstream, body)
}

/** Asks the AI gateway in a conversation. @returns its answer, still to be read, and how to keep that */
export async function askModel(
  agent: Agent,
  chat: ChatRequest,
  { requestId, signal }: { requestId: string; signal: AbortSignal },
): Promise<{ upstream: UpstreamAnswer; keep: Keep; form: 'error' | 'stream' | 'whole' }> {
  const { messages, keep } = await converse(agent, chat)
  const upstream = await callUpstream(agent.settings.ai, {
    method: 'POST',
    path: '/chat/completions',
    body: { ...chat.passed, messages },
    requestId,
    signal,
  })
  const { status, headers } = upstream
  if (status < 200 || status > 299) return { upstream, keep, form: 'error' }
  const streamed = headers['content-type']?.startsWith('text/event-stream') === true
  return { upstream, keep, form: streamed ? 'stream' : 'whole' }
}

/** What goes to the AI gateway for a request, and how its answer is kept. */
async function converse(agent: Agent, { messages, sessionId }: ChatRequest): Promise<Conversation> {
  const { systemPrompt } = agent.settings
  const [notes, skills] = await Promise.all([agent.memory.list(), agent.skills.list()])
  const system = systemMessage({ systemPrompt, notes, skills })
  if (sessionId === undefined) return { messages: [...system, ...messages], keep: async () => {} }

  const { instructions, earlier, turn } = newInput(messages)
  const at = new Date().toISOString()
  const remembered = await agent.sessions.turns(sessionId, historyBytes)
  // A new container's disk knows nothing of what its caller has heard from the one before.
  const adopted = remembered.length === 0 ? earlier : []
  const history = recentHistory([...remembered, { at, messages: adopted }])
  return {
    messages: [...system, ...instructions, ...history, ...turn],
    keep: async (answer, whole) => {
      if (answer === undefined) return
      const kept = { at, messages: [...adopted, ...turn, answer] }
      await agent.sessions.append(sessionId, whole ? kept : { ...kept, truncated: true })
    },
  }
}

import type { Context } from 'hono'
import type { Env } from '../http/app.ts'
import { type TraceHeaders, traceHeaders } from '../http/trace.ts'
import type { Settings } from '../settings.ts'
import type { Memory } from '../workspace/memory.ts'
import type { Sessions } from '../workspace/sessions.ts'
import type { Skills } from '../workspace/skills.ts'
import type { Bus } from '../bus/client.ts'
import type { InboxMark } from '../bus/mark.ts'
import { busTooling } from '../bus/tools.ts'
import type { OwnTools } from '../mcp/tools.ts'
import { wholeAnswer } from './answer.ts'
import type { Keep } from './follow.ts'
import { type Message, newInput } from './messages.ts'
import { errorResponse, wholeResponse } from './pass-on.ts'
import { recentHistory, systemMessage } from './prompt.ts'
import { relayStream } from './relay.ts'
import type { ChatRequest } from './request.ts'
import { type Toolbox, toolboxOf } from './toolbox.ts'
import { callUpstream, isStream, readWhole, type UpstreamAnswer } from './upstream.ts'
import { askWithTools } from './with-tools.ts'

export interface Agent {
  settings: Settings
  sessions: Sessions
  memory: Memory
  skills: Skills
  /** The bus, and how far its inbox was read; undefined where the agent may not use it. */
  bus: { client: Bus; mark: InboxMark } | undefined
  /** The platform's tools for it; undefined where the agent may not use them. */
  ownTools: OwnTools | undefined
}

/** How much of a session is read to fill the prompt's history. */
const historyBytes = 262_144

interface Conversation {
  messages: Message[]
  /** What the gateway's own tools were asked for in this turn, and what they said. */
  steps: Message[]
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
  const trace = traceHeaders(c.req.raw.headers)
  const { upstream, keep, form } = await askModel(agent, chat, { ...c.var, trace })
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
  { requestId, signal, trace }: { requestId: string; signal: AbortSignal; trace?: TraceHeaders },
): Promise<{ upstream: UpstreamAnswer; keep: Keep; form: 'error' | 'stream' | 'whole' }> {
  const toolbox = await toolboxFor(agent, chat, signal)
  const { messages, steps, keep } = await converse(agent, chat, toolbox)
  const ask = (body: object) =>
    callUpstream(agent.settings.ai, {
      method: 'POST',
      path: '/chat/completions',
      body: { ...chat.passed, ...body },
      requestId,
      signal,
      ...(trace !== undefined && { trace }),
    })
  try {
    const upstream = await (toolbox === undefined
      ? ask({ messages })
      : askWithTools({ toolbox, messages, steps, signal, ask }))
    const { status } = upstream
    const failed = status < 200 || status > 299
    // What was sent to others was sent, although the model then failed.
    if (failed && steps.length > 0) await keep(undefined, false)
    return { upstream, keep, form: failed ? 'error' : isStream(upstream) ? 'stream' : 'whole' }
  } catch (error) {
    if (steps.length > 0) await keep(undefined, false)
    throw error
  }
}

/** None for a request with tools of its own, whose caller carries them out. */
async function toolboxFor(
  { bus, ownTools }: Agent,
  { passed }: ChatRequest,
  signal: AbortSignal,
): Promise<Toolbox | undefined> {
  const hasOwn = ['tools', 'functions', 'tool_choice'].some((name) => passed[name] !== undefined)
  if (hasOwn) return undefined
  const own = await ownTools?.source(signal)
  return toolboxOf([...(bus ? [busTooling(bus.client, bus.mark)] : []), ...(own ? [own] : [])])
}

/** What goes to the AI gateway for a request, and how its answer is kept. */
async function converse(
  agent: Agent,
  { messages, sessionId }: ChatRequest,
  toolbox: Toolbox | undefined,
): Promise<Conversation> {
  const { systemPrompt } = agent.settings
  const [notes, skills] = await Promise.all([agent.memory.list(), agent.skills.list()])
  const system = systemMessage({ systemPrompt, notes, skills, tools: toolbox?.instructions })
  const steps: Message[] = []
  if (sessionId === undefined)
    return {
      messages: [...system, ...messages],
      steps,
      keep: async (answer, whole) => {
        if (whole && answer !== undefined) await toolbox?.answered()
      },
    }

  const { instructions, earlier, turn } = newInput(messages)
  const at = new Date().toISOString()
  const remembered = await agent.sessions.turns(sessionId, historyBytes)
  // A new container's disk knows nothing of what its caller has heard from the one before.
  const adopted = remembered.length === 0 ? earlier : []
  const history = recentHistory([...remembered, { at, messages: adopted }])
  return {
    messages: [...system, ...instructions, ...history, ...turn],
    steps,
    keep: async (answer, whole) => {
      if (answer === undefined && steps.length === 0) return
      const said = answer === undefined ? [] : [answer]
      const kept = { at, messages: [...adopted, ...turn, ...steps.map(asRemembered), ...said] }
      await agent.sessions.append(sessionId, whole ? kept : { ...kept, truncated: true })
      if (whole && answer !== undefined) await toolbox?.answered()
    },
  }
}

/** Of a tool's result, in characters: a long one would push the turns before it out of the prompt. */
const rememberedResult = 4000

/** What a stream said between its calls is in the answer too. */
function asRemembered(step: Message): Message {
  if (step.role === 'assistant') return { ...step, content: null }
  const { content } = step
  return typeof content === 'string' && content.length > rememberedResult
    ? { ...step, content: `${content.slice(0, rememberedResult).toWellFormed()} […]` }
    : step
}

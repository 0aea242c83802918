import type { Context } from 'hono'
import type { Bus } from '../bus/client.ts'
import type { InboxMark } from '../bus/mark.ts'
import { busTooling } from '../bus/tools.ts'
import type { Env } from '../http/app.ts'
import { type TraceHeaders, traceHeaders } from '../http/trace.ts'
import type { ConnectionTools } from '../mcp/connections.ts'
import type { OwnTools } from '../mcp/tools.ts'
import type { Settings } from '../settings.ts'
import type { Memory } from '../workspace/memory.ts'
import type { Sessions, SessionTurn } from '../workspace/sessions.ts'
import type { Skills } from '../workspace/skills.ts'
import { wholeAnswer } from './answer.ts'
import { type ModelClient, askerOf, type ModelRequest } from './ask.ts'
import type { StoreReply } from './follow.ts'
import { recentHistory, soundMessages, asPlainText } from './history.ts'
import { type Message, newInput } from './messages.ts'
import { systemMessage } from './prompt.ts'
import { relayStream } from './relay.ts'
import type { ChatRequest } from './request.ts'
import { errorResponse, wholeResponse } from './responses.ts'
import { type Toolbox, toolboxOf, type ToolSource } from './toolbox.ts'
import { callUpstream, isStream, isSuccess, readWhole, type UpstreamAnswer } from './upstream.ts'
import { askWithTools } from './with-tools.ts'

export interface Agent {
  settings: Settings
  sessions: Sessions
  memory: Memory
  skills: Skills
  /** The bus with the read position; undefined if the agent may not use it. */
  bus: { client: Bus; mark: InboxMark } | undefined
  /** The tools for the files of the workspace; undefined if the platform does not store them. */
  files: ToolSource | undefined
  /** The platform's tools; undefined if the agent may not use them. */
  ownTools: OwnTools | undefined
  /** The tools of the agent's connections. */
  connectionTools: ConnectionTools
}

/** The maximum size of a session's history that is read for the prompt. */
const historyBytes = 262_144

interface Conversation {
  messages: Message[]
  /** The index of the first message of the history, and of the first message of the turn. */
  from: number
  turnAt: number
  /** Stores a turn with its tool rounds. */
  keep: (turn: Rounds, answer: Message | undefined, whole: boolean) => Promise<void>
}

interface Rounds {
  /** The calls of the gateway's own tools in this turn, and their results. */
  steps: Message[]
  retold: ModelClient['retold']
}

/**
 * Handles one chat request: prepends instructions, memory, skills and the session's history, calls the AI gateway,
 * forwards its reply and stores both in the session. A turn without a reply is not stored, so that a retry does not
 * repeat the question in the history.
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

/** Calls the AI gateway. @returns its reply, not yet read, and a function that stores it */
export async function askModel(
  agent: Agent,
  chat: ChatRequest,
  { requestId, signal, trace }: { requestId: string; signal: AbortSignal; trace?: TraceHeaders },
): Promise<{ upstream: UpstreamAnswer; keep: StoreReply; form: 'error' | 'stream' | 'whole' }> {
  const toolbox = await toolboxFor(agent, chat, signal)
  const { messages, from, turnAt, keep: keepTurn } = await converse(agent, chat, toolbox)
  const steps: Message[] = []
  const last: { message?: Message } = {}
  const asker = askerOf(
    (question: ModelRequest) =>
      callUpstream(agent.settings.ai, {
        method: 'POST',
        path: '/chat/completions',
        body: { ...chat.passed, ...question },
        requestId,
        signal,
        ...(trace !== undefined && { trace }),
        ...(chat.sessionId !== undefined && { headers: cacheHeader(chat.sessionId) }),
      }),
    { from, turnAt },
  )
  const { ask } = asker
  const keep: StoreReply = (answer, whole) => {
    // A streamed reply contains all rounds, so their fields would appear twice.
    const reply =
      whole && answer && last.message ? { ...last.message, content: answer.content } : answer
    return keepTurn({ steps, retold: asker.retold }, reply, whole)
  }
  try {
    const upstream = await (toolbox === undefined
      ? ask({ messages })
      : askWithTools({ toolbox, messages, steps, last, signal, ask }))
    const failed = !isSuccess(upstream)
    // Messages to other agents were sent, even if the model failed afterwards.
    if (failed && steps.length > 0) await keep(undefined, false)
    return { upstream, keep, form: failed ? 'error' : isStream(upstream) ? 'stream' : 'whole' }
  } catch (error) {
    if (steps.length > 0) await keep(undefined, false)
    throw error
  }
}

/** The calls of a conversation prefer the same provider, whose prompt cache has the conversation. */
function cacheHeader(sessionId: string): Record<string, string> {
  return { 'x-session-id': encodeURIComponent(sessionId.toWellFormed()) }
}

/** Returns undefined for a request with its own tools, which its caller executes. */
async function toolboxFor(
  { bus, files, ownTools, connectionTools }: Agent,
  { passed, sessionId }: ChatRequest,
  signal: AbortSignal,
): Promise<Toolbox | undefined> {
  const hasOwn = ['tools', 'functions', 'tool_choice'].some((name) => passed[name] !== undefined)
  if (hasOwn) return undefined
  const [own, connected] = await Promise.all([
    ownTools?.source(signal, sessionId),
    connectionTools.source(signal, sessionId),
  ])
  return toolboxOf([
    ...(bus ? [busTooling(bus.client, bus.mark, sessionId)] : []),
    ...(files ? [files] : []),
    ...(own ? [own] : []),
    ...(connected ? [connected] : []),
  ])
}

/** Returns the request to the AI gateway and the function that stores the reply. */
async function converse(
  agent: Agent,
  { messages, sessionId }: ChatRequest,
  toolbox: Toolbox | undefined,
): Promise<Conversation> {
  const { systemPrompt } = agent.settings
  const [notes, skills] = await Promise.all([agent.memory.list(), agent.skills.list()])
  const system = systemMessage({ systemPrompt, notes, skills, tools: toolbox?.instructions })
  if (sessionId === undefined)
    return {
      messages: [...system, ...messages],
      from: system.length + messages.length,
      turnAt: system.length + messages.length,
      keep: async (_, answer, whole) => {
        if (whole && answer !== undefined) await toolbox?.answered()
      },
    }

  const { instructions, earlier, turn } = newInput(messages)
  const at = new Date().toISOString()
  const remembered = await agent.sessions.turns(sessionId, historyBytes)
  // The disk of a new container has no history, so it takes the caller's transcript.
  const adopted = remembered.length === 0 ? earlier : []
  const history = soundMessages(recentHistory([...remembered, { at, messages: adopted }]), turn)
  const all = [...system, ...instructions, ...history]
  return {
    messages: all,
    from: 0,
    turnAt: all.length - turn.length,
    keep: async ({ steps, retold }, answer, whole) => {
      if (answer === undefined && steps.length === 0) return
      const rounds = steps.map(asRemembered)
      const reply = [
        ...(retold === 'all' ? asPlainText(rounds) : rounds),
        ...(answer ? [answer] : []),
      ]
      const stored: SessionTurn = { at, messages: [...adopted, ...turn, ...reply] }
      if (retold !== 'none') stored.retold = true
      if (!whole) stored.truncated = true
      await agent.sessions.append(sessionId, stored)
      if (whole && answer !== undefined) await toolbox?.answered()
    },
  }
}

/**
 * The maximum length of a tool result in the history, in characters. A longer one would push earlier turns out of the
 * prompt.
 */
const rememberedResult = 4000

/** Removes the text between calls, because the reply contains it too. */
function asRemembered(step: Message): Message {
  if (step.role === 'assistant') return { ...step, content: null }
  const { content } = step
  return typeof content === 'string' && content.length > rememberedResult
    ? { ...step, content: `${content.slice(0, rememberedResult).toWellFormed()} […]` }
    : step
}

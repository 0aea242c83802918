import { decodeTime } from 'ulid'
import { beginActivity } from '../fleet/activity/begin.ts'
import type { ActivityContext } from '../fleet/activity/context.ts'
import type { RunningAgent } from '../agents/running.ts'
import { locate } from '../agent-gateway/gateway.ts'
import { type AgentRequest, type AgentTimeouts, requestAgent } from '../agent-gateway/request.ts'
import { ensurePushed } from '../workspace/ensure.ts'
import { notFound } from '../platform/errors.ts'
import { newSeed } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { userStore } from '../platform/table/user-store.ts'
import { chooseAgent } from './choose-agent.ts'
import { earlierWords, type Words } from './earlier.ts'
import { readAnswer } from './read-answer.ts'
import { keepMessage } from './message.ts'
import { reasonOf } from './overtaken.ts'
import type { ChatAnswer, ChatRequest, TokenUsage } from './schema.ts'

/** A turn may be long: the agent thinks, and calls models and tools. */
const defaultTimeouts: AgentTimeouts = { idleMs: 120_000, totalMs: 280_000 }

export interface ChatContext extends ActivityContext {
  /** WALLET_ENCRYPTION_KEY, from which the gateways' tokens come. */
  encryptionKey: string | undefined
  timeouts?: AgentTimeouts
  userId: string
  requestId: string
  log: Log
  /** Names the user's message, so that a retry does not keep it twice. */
  seed: string
  /** Aborted when the caller leaves. */
  signal: AbortSignal
  /** Where the message comes from, as the history shows it; `web` unless said otherwise. */
  platform?: 'web' | 'schedule' | 'swarm' | 'skill'
}

/** What is said in a turn. */
export interface TurnRequest extends ChatRequest {
  /** What the agent must know for this turn alone. */
  instructions?: string
  /** It belongs to no conversation: the agent neither remembers it nor sees it in the light of earlier ones. */
  alone?: true
}

/** A piece of a reply as it comes; the last part of a turn is the whole answer. */
export type TurnPart = { delta: string } | { answer: ChatAnswer }

/**
 * One turn with an agent, piece by piece and then whole; one that is asleep is woken first. The user's message is kept
 * before the agent is asked, the reply before it is returned; of a reply that breaks off, what was said.
 * @throws PlatformError 404 no agent, 409 AGENT_NOT_RUNNING also where it ends meanwhile, 502, 504, or what the agent's
 * own call was refused with
 */
export async function* converse(
  context: ChatContext,
  request: TurnRequest,
): AsyncGenerator<TurnPart, void> {
  const { table, userId, seed, signal, platform = 'web', timeouts = defaultTimeouts } = context
  const store = userStore(table, userId)
  const chosen = await chooseAgent(table, userId, request.agentId)
  if (chosen === undefined) throw notFound('Agent')
  using activity = await beginActivity(context, {
    agent: chosen,
    timeoutMs: timeouts.idleMs,
    signal,
  })
  const { agent, wokenMs } = activity
  await ensurePushed(context, agent)
  const call = await prepare(context, agent, request, await earlierWords(store, agent, request))
  const about = { agentId: agent.id, topic: request.topic, platform }
  await keepMessage(store, { ...about, sender: 'user', content: request.message }, seed)

  let reply = ''
  let model: string | null = null
  let usage: TokenUsage | null = null
  let whole = false
  const keepReply = () =>
    keepMessage(
      store,
      {
        ...about,
        sender: 'agent',
        content: reply,
        model,
        usage,
        generation: agent.generation,
        ...(!whole && { truncated: true }),
      },
      // After the message that it answers, even within one millisecond.
      newSeed(Math.max(Date.now(), decodeTime(seed) + 1)),
    )
  try {
    // What waking took is gone from the time that the caller has.
    const left = { ...timeouts, totalMs: timeouts.totalMs - wokenMs }
    for await (const part of readAnswer(await requestAgent(call, left))) {
      model = part.model ?? model
      usage = part.usage ?? usage
      if (part.content === '') continue
      reply += part.content
      yield { delta: part.content }
    }
    whole = true
  } catch (error) {
    throw reply === '' ? await reasonOf(error, table, agent) : error
  } finally {
    if (!whole && reply !== '') await keepReply()
  }
  const { id, timestamp } = await keepReply()
  const { message } = request
  yield { answer: { id, agentId: agent.id, message, reply, model, usage, timestamp } }
}

/** The whole of a turn, for callers who do not want it piece by piece. */
export async function converseWhole(
  context: ChatContext,
  request: TurnRequest,
): Promise<ChatAnswer> {
  for await (const part of converse(context, request)) if ('answer' in part) return part.answer
  throw new Error('a turn ended without an answer')
}

async function prepare(
  context: ChatContext,
  agent: RunningAgent,
  { message, topic, stream, instructions, alone }: TurnRequest,
  earlier: readonly Words[],
): Promise<AgentRequest> {
  return {
    ...(await locate(context, agent)),
    method: 'POST',
    path: '/v1/chat/completions',
    body: {
      // The agent itself, with the model that it uses.
      model: 'openclaw',
      ...(alone !== true && { user: topic ?? 'default' }),
      messages: [
        ...(instructions === undefined ? [] : [{ role: 'system', content: instructions }]),
        ...earlier,
        { role: 'user', content: message },
      ],
      ...(stream && { stream, stream_options: { include_usage: true } }),
    },
  }
}

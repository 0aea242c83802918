import { decodeTime } from 'ulid'
import { beginActivity } from '../fleet/activity/begin.ts'
import type { ActivityContext } from '../fleet/activity/context.ts'
import type { AgentTimeouts } from '../agent-gateway/request.ts'
import { ensurePushed } from '../workspace/ensure.ts'
import { notFound } from '../platform/errors.ts'
import { newSeed } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { userStore } from '../platform/table/user-store.ts'
import { chooseAgent } from './choose-agent.ts'
import { earlierWords } from './earlier.ts'
import { keepMessage, noteFailure } from './message.ts'
import { askForReply } from './reply.ts'
import type { ChatAnswer } from './schema.ts'
import { turnRequest, type TurnRequest } from './turn-request.ts'

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
  platform?: 'web' | 'schedule' | 'swarm' | 'skill' | 'gateway'
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
  ctx: ChatContext,
  request: TurnRequest,
): AsyncGenerator<TurnPart, void> {
  const { table, userId, seed, signal, platform = 'web', timeouts = defaultTimeouts } = ctx
  const store = userStore(table, userId)
  const chosen = await chooseAgent(ctx, { userId, agentId: request.agentId })
  if (chosen === undefined) throw notFound('Agent')
  const waiting = { agent: chosen, timeoutMs: timeouts.idleMs, signal }
  using activity = await beginActivity(ctx, waiting)
  const { agent, wokenMs } = activity
  await ensurePushed(ctx, { agent })
  const earlier = await earlierWords(store, agent, request)
  const call = await turnRequest(ctx, { agent, request, earlier })
  const { topic, message } = request
  const about = { agentId: agent.id, topic, platform }
  await keepMessage(store, { message: { ...about, sender: 'user', content: message }, seed })
  const { content, ...reply } = yield* askForReply(ctx, {
    agent,
    call,
    // What waking took is gone from the time that the caller has.
    timeouts: { ...timeouts, totalMs: timeouts.totalMs - wokenMs },
    // What the caller hears is why it failed, also where that cannot be noted.
    noteFailure: () =>
      noteFailure(store, { agentId: agent.id, seed }).catch((error: unknown) =>
        ctx.log.warn('a failed turn was not noted', { agentId: agent.id, error }),
      ),
    keep: (said, state) =>
      keepMessage(store, {
        message: {
          ...about,
          ...said,
          sender: 'agent',
          generation: agent.generation,
          ...(state === 'truncated' && { truncated: true }),
        },
        // After the message that it answers, even within one millisecond.
        seed: newSeed(Math.max(Date.now(), decodeTime(seed) + 1)),
      }),
  })
  yield { answer: { ...reply, agentId: agent.id, message, reply: content } }
}

/** The whole of a turn, for callers who do not want it piece by piece. */
export async function converseWhole(ctx: ChatContext, request: TurnRequest): Promise<ChatAnswer> {
  for await (const part of converse(ctx, request)) if ('answer' in part) return part.answer
  throw new Error('a turn ended without an answer')
}

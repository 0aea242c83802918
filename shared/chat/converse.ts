import { decodeTime } from 'ulid'
import { beginActivity } from '../fleet/activity/begin.ts'
import type { ActivityContext } from '../fleet/activity/context.ts'
import type { AgentTimeouts } from '../agent-gateway/request.ts'
import { ensurePushed } from '../workspace/ensure.ts'
import { notFound, PlatformError } from '../platform/errors.ts'
import { newId, newSeed } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { type UserStore, userStore } from '../platform/table/user-store.ts'
import { beginWrite, endWrite } from '../turns/turn.ts'
import { type WatchedTurn, watchTurn } from '../turns/watch.ts'
import { chooseAgent } from './choose-agent.ts'
import { earlierWords } from './earlier.ts'
import { keepMessage, noteFailure } from './message.ts'
import { askForReply } from './reply.ts'
import { messageRows } from './rows.ts'
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
  /** The run that the turn is a part of, as `/api/runs` names it. */
  group?: string
  /** Who asked: `user:<id>` or `platform`; the user unless it is said. */
  by?: string | null
  /** What is to be done before the end is noted. @returns how many pieces of the answer were kept */
  settled?: () => Promise<number>
  /** Where the message comes from, as the history shows it; `web` unless said otherwise. */
  platform?: 'web' | 'schedule' | 'swarm' | 'skill' | 'gateway'
}

/** A piece of a reply as it comes; the last part of a turn is the whole answer. */
export type TurnPart = { delta: string } | { answer: ChatAnswer }

/**
 * One turn with an agent, piece by piece and then whole; one that is asleep is woken first. The user's message is kept
 * before the agent is asked, the reply before it is returned; of a reply that breaks off, what was said. A turn that is
 * cancelled closes its connection to the agent, and with it the agent's to the model.
 * @throws PlatformError 404 no agent, 409 AGENT_NOT_RUNNING also where it ends meanwhile, 409 CANCELLED, 502, 504, or
 * what the agent's own call was refused with
 */
export async function* converse(
  ctx: ChatContext,
  request: TurnRequest,
): AsyncGenerator<TurnPart, void> {
  const store = userStore(ctx.table, ctx.userId)
  const id = newId(messageRows.id, ctx.seed)
  using watched = watchTurn({ store, log: ctx.log }, { id })
  const noted = { begun: false, ended: false }
  try {
    yield* turn(ctx, request, { id, store, watched, noted })
  } catch (thrown) {
    const failure = watched.cancelled?.error ?? thrown
    await noteEnd(failure)
    throw failure
  } finally {
    // The reader of a turn that was begun may leave between two pieces.
    await noteEnd(new PlatformError('bad-request', 'The caller left'))
  }

  async function noteEnd(failure: unknown): Promise<void> {
    if (!noted.begun || noted.ended) return
    noted.ended = true
    const { message, code, details } = toShown(failure)
    const error = { error: message, ...(code !== undefined && { code }), ...details }
    const state = watched.cancelled === undefined ? 'failed' : 'cancelled'
    const pieces = await ctx.settled?.()
    const end = { state, error, ...(pieces !== undefined && { pieces }) } as const
    await store.transact([endWrite(store, id, end)])
  }
}

/** What its caller is told of a failure: nothing of one that was not meant for callers. */
function toShown(failure: unknown): Pick<PlatformError, 'message' | 'code' | 'details'> {
  if (failure instanceof PlatformError) return failure
  return new PlatformError('internal', 'Internal server error')
}

interface TurnUnderWay {
  id: string
  store: UserStore
  watched: WatchedTurn
  noted: { begun: boolean; ended: boolean }
}

async function* turn(
  given: ChatContext,
  request: TurnRequest,
  { id, store, watched, noted }: TurnUnderWay,
): AsyncGenerator<TurnPart, void> {
  const ctx = { ...given, signal: AbortSignal.any([given.signal, watched.signal]) }
  const { userId, seed, signal, platform = 'web', timeouts = defaultTimeouts } = ctx
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
  const { group, by = `user:${userId}` } = ctx
  const begin = beginWrite(store, { id, agentId: agent.id, kind: kinds[platform], by, group })
  await keepMessage(store, {
    message: { ...about, sender: 'user', content: message },
    seed,
    also: begin,
  })
  noted.begun = true
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
    isCancelled: () => watched.cancelled !== undefined,
    async keep(said, state) {
      const { cancelled } = watched
      // A turn that was overtaken by its cancellation at its very end is whole all the same.
      const isCancelled = cancelled !== undefined && state === 'truncated'
      // After the message that it answers, even within one millisecond.
      const answer = newSeed(Math.max(Date.now(), decodeTime(seed) + 1))
      const pieces = await ctx.settled?.()
      const end = {
        answer,
        tokens: said.usage?.total_tokens ?? null,
        ...(pieces !== undefined && { pieces }),
      }
      const isOver = state === 'whole' || isCancelled
      noted.ended = isOver
      return keepMessage(store, {
        message: {
          ...about,
          ...said,
          sender: 'agent',
          generation: agent.generation,
          ...(state === 'truncated' && { truncated: true }),
          ...(isCancelled && { cancelled: true, reason: cancelled.reason }),
        },
        seed: answer,
        ...(isOver && {
          also: isCancelled
            ? endWrite(store, id, { ...end, state: 'cancelled', error: shownCancel(cancelled) })
            : endWrite(store, id, { ...end, state: 'finished' }),
        }),
      })
    },
  })
  yield { answer: { ...reply, agentId: agent.id, message, reply: content } }
}

/** How `/api/runs` sorts a turn, by where its message came from. */
const kinds = {
  web: 'turn',
  skill: 'turn',
  gateway: 'turn',
  schedule: 'task',
  swarm: 'swarm',
} as const

function shownCancel({ reason, error }: { reason: string | null; error: PlatformError }) {
  return { error: error.message, code: 'CANCELLED', reason }
}

/** The whole of a turn, for callers who do not want it piece by piece. */
export async function converseWhole(ctx: ChatContext, request: TurnRequest): Promise<ChatAnswer> {
  for await (const part of converse(ctx, request)) if ('answer' in part) return part.answer
  throw new Error('a turn ended without an answer')
}

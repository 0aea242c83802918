import { decodeTime } from 'ulid'
import { beginActivity } from '../fleet/activity/begin.ts'
import type { ActivityContext } from '../fleet/activity/context.ts'
import type { AgentTimeouts } from '../agent-gateway/request.ts'
import type { Agent } from '../agents/agent.ts'
import type { AgentQueue, Asked } from '../agents/context.ts'
import { ensurePushed } from '../workspace/ensure.ts'
import { notFound, PlatformError } from '../platform/errors.ts'
import { newId, newSeed } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Queues } from '../platform/queues/port.ts'
import { commit, type Parts } from '../platform/table/commit.ts'
import { type UserStore, userStore } from '../platform/table/user-store.ts'
import { webhookParts } from '../outbound-webhooks/emit.ts'
import { runEnded } from '../outbound-webhooks/run-ended.ts'
import { endPart, type TurnEnd } from '../turns/end.ts'
import { beginWrite } from '../turns/turn.ts'
import { type WatchedTurn, watchTurn } from '../turns/watch.ts'
import { chooseAgent } from './choose-agent.ts'
import { earlierWords } from './earlier.ts'
import { keepMessage, noteFailure } from './message.ts'
import { askForReply } from './reply.ts'
import { messageRows } from './rows.ts'
import type { ChatAnswer } from './schema.ts'
import { traceTurn, type TurnTrace } from './trace.ts'
import { turnRequest, type TurnRequest } from './turn-request.ts'

/** A turn may be long: the agent thinks, and calls models and tools. */
const defaultTimeouts: AgentTimeouts = { idleMs: 120_000, totalMs: 280_000 }

export interface ChatContext extends Omit<ActivityContext, 'queues'> {
  queues: Queues<AgentQueue | 'telemetry'>
  /** WALLET_ENCRYPTION_KEY, from which the gateways' tokens come. */
  encryptionKey: string | undefined
  timeouts?: AgentTimeouts
  userId: string
  requestId: string
  /** The caller's, whose trace the turn belongs to; absent where no caller waits. */
  request?: Request
  log: Log
  /** Names the user's message, so that a retry does not keep it twice. */
  seed: string
  /** Aborted when the caller leaves. */
  signal: AbortSignal
  /** The run that the turn is a part of, as `/api/runs` names it. */
  group?: string
  /** The user, whose API key it is that asks where one does; absent where no caller waits. */
  actor?: Asked['actor'] | undefined
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
  const noted: Noted = { agent: undefined, ended: false }
  const trace = traceTurn(ctx, { id, request })
  try {
    yield* turn(ctx, request, { id, store, watched, noted, trace })
  } catch (thrown) {
    const failure = watched.cancelled?.error ?? thrown
    await noteEnd(failure)
    throw failure
  } finally {
    // The reader of a turn that was begun may leave between two pieces.
    await noteEnd(new PlatformError('bad-request', 'The caller left'))
  }

  async function noteEnd(failure: unknown): Promise<void> {
    const { agent } = noted
    if (agent === undefined) return
    const told = toShown(failure)
    if (!noted.ended) {
      noted.ended = true
      const { message, code, details } = told
      const error = { error: message, ...(code !== undefined && { code }), ...details }
      const state = watched.cancelled === undefined ? 'failed' : 'cancelled'
      const pieces = await ctx.settled?.()
      const end = { state, error, ...(pieces !== undefined && { pieces }) } as const
      await commit(store, await endParts(ctx, { store, id, agentId: agent.id, end }))
    }
    await trace.end(agent, { failure: told })
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
  noted: Noted
  trace: TurnTrace
}

interface Noted {
  /** Once its question is kept. */
  agent: Agent | undefined
  ended: boolean
}

/** The end of a turn, and what is told of it where it is a run of its own. */
async function endParts(
  ctx: ChatContext,
  { store, id, agentId, end }: { store: UserStore; id: string; agentId: string; end: TurnEnd },
): Promise<Parts> {
  const kind = kinds[ctx.platform ?? 'web']
  const { state, error } = end
  const told = runEnded({ runId: id, kind, state, error: error?.error ?? null }, { agentId })
  const webhooks = kind === 'turn' ? await webhookParts(ctx, ctx.userId, [told]) : {}
  return { turn: endPart(store, { id, end, told: webhooks }) }
}

async function* turn(
  given: ChatContext,
  request: TurnRequest,
  { id, store, watched, noted, trace }: TurnUnderWay,
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
  const call = await turnRequest(ctx, { agent, request, earlier, trace })
  const { topic, message } = request
  const about = { agentId: agent.id, topic, platform }
  const { group, by = `user:${userId}` } = ctx
  const key = keyOf(ctx)
  const begin = beginWrite(store, { id, agentId: agent.id, kind: kinds[platform], by, group, key })
  await keepMessage(store, {
    message: { ...about, sender: 'user', content: message },
    seed,
    also: { turn: begin },
  })
  noted.agent = agent
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
      const ending: TurnEnd = isCancelled
        ? { ...end, state: 'cancelled', error: shownCancel(cancelled) }
        : { ...end, state: 'finished' }
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
          also: await endParts(ctx, { store, id, agentId: agent.id, end: ending }),
        }),
      })
    },
  })
  await trace.end(agent, { answer: { ...reply, content } })
  yield { answer: { ...reply, agentId: agent.id, message, reply: content } }
}

/** What the usage of a turn is counted by beside its agent. */
function keyOf({ actor, userId }: Pick<ChatContext, 'actor' | 'userId'>) {
  if (actor?.type !== 'user' || actor.user.id !== userId) return undefined
  if (actor.user.keyId === undefined) return undefined
  return { keyId: actor.user.keyId, keyName: actor.user.keyName ?? null }
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

import { decodeTime } from 'ulid'
import type { AgentTimeouts } from '#shared/agents/agent-gateway/request.ts'
import { beginActivity } from '#shared/agents/fleet/activity/begin.ts'
import type { ActivityContext } from '#shared/agents/fleet/activity/context.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentQueue, ChangeAuthor } from '#shared/agents/record/context.ts'
import { ensurePushed } from '#shared/agents/workspace/ensure.ts'
import { endPart, type TurnEnd } from '#shared/ai/turns/end.ts'
import { type TurnKey, turnKeyOf } from '#shared/ai/turns/key.ts'
import { beginWrite } from '#shared/ai/turns/turn.ts'
import { type WatchedTurn, watchTurn } from '#shared/ai/turns/watch.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { describeActor } from '#shared/platform/identity/actor.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { commit, type Parts } from '#shared/platform/table/commit.ts'
import { type UserStore, userStore } from '#shared/platform/table/user-store.ts'
import { webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import { runEnded } from '#shared/signals/outbound-webhooks/run-ended.ts'
import { chooseAgent } from './choose-agent.ts'
import { earlierMessages } from './earlier.ts'
import { storeMessage, recordFailedTurn } from './message.ts'
import { askForReply } from './reply.ts'
import { messageRows } from './rows.ts'
import type { ChatAnswer } from './schema.ts'
import { traceTurn, type TurnTrace } from './trace.ts'
import { turnRequest, type TurnRequest } from './turn-request.ts'

/** Long, because the agent reasons and calls models and tools. */
const defaultTimeouts: AgentTimeouts = { idleMs: 120_000, totalMs: 280_000 }

/** The context of a turn with an agent. */
export type ChatContext = ActivityContext &
  Pick<Context, 'log' | 'requestId' | 'seed'> &
  Sends<AgentQueue | 'telemetry'> &
  Can<'encryptionKey'> &
  TurnOptions

interface TurnOptions {
  timeouts?: AgentTimeouts
  /** The user whose agent answers. */
  owner: string
  /** The caller's request, whose trace the turn belongs to; absent if no caller waits. */
  request?: Request
  /** Aborted when the caller disconnects. */
  signal: AbortSignal
  /** The run that contains the turn, as in `/api/runs`. */
  group?: string
  /** The maximum amount that the turn can draw from the owner's credits, in millionths of a US dollar. */
  mostDrawnMicroUsd?: number | undefined
  /** The user, with the API key of the request if it has one; absent if no caller waits. */
  actor?: ChangeAuthor['actor'] | undefined
  /** The API key that the turn is counted for. Default: the caller's. */
  turnKey?: TurnKey
  /** The initiator: `user:<id>` or `platform`. Default: the caller, or the owner without a caller. */
  by?: string | null
  /** Called before the end of the turn is recorded. @returns the number of stored parts of the answer */
  settled?: () => Promise<number>
  /** The origin of the message in the history. Defaults to `web`. */
  platform?: 'web' | 'schedule' | 'swarm' | 'skill' | 'gateway'
}

/** A part of a reply. The last part of a turn is the whole answer. */
export type TurnPart = { delta: string } | { answer: ChatAnswer }

/**
 * Runs one turn with an agent and yields its parts, then the whole answer. A sleeping agent is woken first. The user's
 * message is stored before the request, and the reply before it is returned; an interrupted reply is stored as far as
 * it was received. Cancelling a turn closes the connection to the agent, which then closes its connection to the model.
 * @throws PlatformError 404 without an agent; 409 AGENT_NOT_RUNNING, also if the agent stops in the meantime; 409
 * CANCELLED; 502, 504; or the error of the agent's own call
 */
export async function* converse(
  ctx: ChatContext,
  request: TurnRequest,
): AsyncGenerator<TurnPart, void> {
  const store = userStore(ctx.table, ctx.owner)
  const id = newId(messageRows.id, ctx.seed)
  using watched = watchTurn({ store, log: ctx.log }, { id })
  const noted: Noted = { agent: undefined, ended: false }
  const turnKey = ctx.turnKey ?? turnKeyOf(ctx)
  const hasLimitedKey = turnKey.keyLimits !== undefined
  const trace = traceTurn(ctx, { id, request, hasLimitedKey })
  try {
    yield* turn(ctx, request, { id, store, watched, noted, trace, turnKey })
  } catch (thrown) {
    const failure = watched.cancelled?.error ?? thrown
    await noteEnd(failure)
    throw failure
  } finally {
    // The reader may disconnect between two parts.
    await noteEnd(new PlatformError('bad-request', 'The caller disconnected'))
  }

  async function noteEnd(failure: unknown): Promise<void> {
    const { agent } = noted
    if (agent === undefined) return
    const shown = toShown(failure)
    if (!noted.ended) {
      noted.ended = true
      const { message, code, details } = shown
      const error = { error: message, ...(code !== undefined && { code }), ...details }
      const state = watched.cancelled === undefined ? 'failed' : 'cancelled'
      const pieces = await ctx.settled?.()
      const end = { state, error, ...(pieces !== undefined && { pieces }) } as const
      await commit(store, await endParts(ctx, { store, id, agentId: agent.id, end }))
    }
    await trace.end(agent, { failure: shown })
  }
}

/** Returns the public form of a failure, without details of internal errors. */
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
  turnKey: TurnKey
}

interface Noted {
  /** Set after the question is stored. */
  agent: Agent | undefined
  ended: boolean
}

/** Returns the writes that end a turn, and its webhook events if the turn is not part of another run. */
async function endParts(
  ctx: ChatContext,
  { store, id, agentId, end }: { store: UserStore; id: string; agentId: string; end: TurnEnd },
): Promise<Parts> {
  const kind = kinds[ctx.platform ?? 'web']
  const { state, error } = end
  const ended = runEnded({ runId: id, kind, state, error: error?.error ?? null }, { agentId })
  const webhooks = kind === 'turn' ? await webhookParts(ctx, ctx.owner, [ended]) : {}
  return { turn: endPart(store, { id, end, also: webhooks }) }
}

async function* turn(
  chatContext: ChatContext,
  request: TurnRequest,
  { id, store, watched, noted, trace, turnKey }: TurnUnderWay,
): AsyncGenerator<TurnPart, void> {
  const ctx = { ...chatContext, signal: AbortSignal.any([chatContext.signal, watched.signal]) }
  const { seed, signal, platform = 'web', timeouts = defaultTimeouts } = ctx
  const chosen = await chooseAgent(ctx, { agentId: request.agentId })
  if (chosen === undefined) throw notFound('Agent')
  const waiting = { agent: chosen, timeoutMs: timeouts.idleMs, signal }
  using activity = await beginActivity(ctx, waiting)
  const { agent, wokenMs } = activity
  await ensurePushed(ctx, { agent })
  const earlier = await earlierMessages(store, agent, request)
  const call = await turnRequest(ctx, { agent, request, earlier, trace })
  const { topic, message } = request
  const about = { agentId: agent.id, topic, platform }
  const { group, by = initiatorOf(ctx), mostDrawnMicroUsd } = ctx
  const asked = { agentId: agent.id, generation: agent.generation }
  const kind = kinds[platform]
  const started = { kind, by, group, ...turnKey, mostDrawnMicroUsd }
  const begin = beginWrite(store, { id, ...asked, ...started })
  await storeMessage(store, {
    message: { ...about, sender: 'user', content: message },
    seed,
    also: { turn: begin },
  })
  noted.agent = agent
  const { content, ...reply } = yield* askForReply(ctx, {
    agent,
    call,
    // The caller's timeout includes the time to wake the agent.
    timeouts: { ...timeouts, totalMs: timeouts.totalMs - wokenMs },
    // The caller receives the reason for the failure, even if the failure cannot be recorded.
    noteFailure: () =>
      recordFailedTurn(store, { agentId: agent.id, seed }).catch((error: unknown) =>
        ctx.log.warn('a failed turn was not recorded', { agentId: agent.id, error }),
      ),
    isCancelled: () => watched.cancelled !== undefined,
    async keep(received, state) {
      const { cancelled } = watched
      // A turn that was cancelled after its last part is complete.
      const isCancelled = cancelled !== undefined && state === 'truncated'
      // The answer's seed sorts after its question, even within one millisecond.
      const answer = newSeed(Math.max(Date.now(), decodeTime(seed) + 1))
      const pieces = await ctx.settled?.()
      const end = {
        answer,
        tokens: received.usage?.total_tokens ?? null,
        ...(pieces !== undefined && { pieces }),
      }
      const isOver = state === 'whole' || isCancelled
      noted.ended = isOver
      const ending: TurnEnd = isCancelled
        ? { ...end, state: 'cancelled', error: shownCancel(cancelled) }
        : { ...end, state: 'finished' }
      return storeMessage(store, {
        message: {
          ...about,
          ...received,
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

function initiatorOf({ actor, owner }: Pick<ChatContext, 'actor' | 'owner'>): string {
  return actor?.type === 'user' ? describeActor(actor) : `user:${owner}`
}

/** The kind of a turn in `/api/runs`, by the origin of its message. */
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

/** Runs a turn and returns the whole answer. */
export async function converseWhole(ctx: ChatContext, request: TurnRequest): Promise<ChatAnswer> {
  for await (const part of converse(ctx, request)) if ('answer' in part) return part.answer
  throw new Error('a turn ended without an answer')
}

import { notSent } from '#shared/agents/agent-gateway/not-sent.ts'
import type { ActivityContext } from '#shared/agents/fleet/activity/context.ts'
import { wakeAgent } from '#shared/agents/fleet/activity/wake.ts'
import { startAgent } from '#shared/agents/fleet/lifecycle/start.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { LeaseLost, unlessLeaseLost } from '#shared/platform/work/lease-lost.ts'
import { type Approval, findApproval } from '../approval.ts'
import { approvalTurnRows } from '../rows.ts'
import type { ApprovalTurn } from '../topic.ts'
import { approvalTurnWork, type Turn } from './items.ts'
import { turnText } from './text.ts'

/** The client of agents' turns. */
export interface AsksAgents {
  /**
   * Sends a message to an agent. It resolves after the answer is stored.
   * @throws PlatformError
   */
  ask(turn: {
    owner: string
    agentId: string
    message: string
    /** The conversation; undefined for the unnamed one. */
    topic: string | undefined
    seed: string
  }): Promise<unknown>
  /** Returns the state of the turn with this seed; undefined if it never began. */
  turnState(turn: {
    owner: string
    seed: string
  }): Promise<'active' | 'finished' | 'failed' | 'cancelled' | undefined>
}

interface Told {
  agent: Agent
  approval: Approval
}

export type TellContext = ActivityContext &
  Pick<Context, 'log'> &
  Sends<'approval-turns' | 'provisioning' | 'webhook-deliveries'> &
  AsksAgents

/** The delays of the next attempt in seconds: while the agent starts, and if it cannot run now. */
const startingSeconds = 15
const stoppedSeconds = 300

/** The time that the turn waits for an agent that does not run, in milliseconds. */
const maxMs = 7 * 86_400_000

/** The maximum number of failed turns that the agent may have received. */
const maxFailed = 3

/** The longest name of a conversation. */
const maxTopic = 100

/**
 * Tells an agent the outcome of an approval in the next turn of the session that asked. Wakes a sleeping agent, and
 * starts an agent that was stopped when its owner approved the request: contract.md 17. If the process dies during the
 * turn, the agent is told again, because it may not have received the message.
 */
export async function tellAgent(
  ctx: TellContext,
  message: ApprovalTurn,
  now = Date.now(),
): Promise<void> {
  const row = await approvalTurnRows.find(ctx.table, message)
  const turn = row && (await approvalTurnWork.claim(ctx, row, { message, now }))
  if (turn === undefined) return
  if (!(await unlessLeaseLost(step(ctx, turn, now))))
    ctx.log.warn('the lease of a turn about an approval was lost', { approvalId: turn.approvalId })
}

async function step(ctx: TellContext, turn: Turn, now: number): Promise<void> {
  const { userId, agentId, approvalId, seed } = turn
  const [approval, agent] = await Promise.all([
    findApproval(ctx, { userId, approvalId }),
    findAgent(ctx, { agentId, owner: userId }),
  ])
  const isLate = now - Date.parse(turn.createdAt) > maxMs
  if (approval === undefined || agent === undefined || isLate) return end(ctx, turn)
  if (seed !== undefined) {
    const state = await ctx.turnState({ owner: userId, seed })
    if (state === 'active') return approvalTurnWork.later(ctx, turn, startingSeconds, { now })
    if (state === 'finished' || state === 'cancelled') return end(ctx, turn)
    if (state === 'failed') return tryAgain(ctx, turn, now)
  }
  const wait = await waitFor(ctx, { agent, approval })
  if (wait !== undefined) return approvalTurnWork.later(ctx, turn, wait, { now })
  return ask(ctx, { turn, approval, now })
}

/** Wakes or starts the agent if it must be told now. @returns the delay in seconds until it can be asked */
async function waitFor(ctx: TellContext, told: Told): Promise<number | undefined> {
  const { agent } = told
  if (agent.desired === 'running') return agent.status === 'running' ? undefined : startingSeconds
  if (!agent.asleep && !wasStopped(told)) return stoppedSeconds
  try {
    await (agent.asleep ? wakeAgent(ctx, { agent }) : startAgent(ctx, { agent }))
    return startingSeconds
  } catch (error) {
    // The plan has ended, too many agents are awake, or an operator stopped the agent or has disabled starts.
    if (!(error instanceof PlatformError)) throw error
    ctx.log.warn('a turn about an approval cannot start its agent', { agentId: agent.id, error })
    return stoppedSeconds
  }
}

/** Returns whether the agent was stopped when its owner approved the request. A later stop is respected. */
function wasStopped({ agent, approval }: Told): boolean {
  const { state, decidedAt } = approval
  if ((state !== 'done' && state !== 'failed') || decidedAt === undefined) return false
  return agent.status === 'stopped' && (agent.stopReason?.at ?? '') < decidedAt
}

async function ask(
  ctx: TellContext,
  { turn, approval, now }: { turn: Turn; approval: Approval; now: number },
): Promise<void> {
  const { userId: owner, agentId, seed = newSeed(now) } = turn
  if (turn.seed === undefined) await approvalTurnWork.save(ctx, turn, { set: { seed } })
  try {
    await ctx.ask({ owner, agentId, message: turnText(approval), topic: topicOf(approval), seed })
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (error.code === 'CANCELLED') return end(ctx, turn)
    ctx.log.warn('a turn about an approval failed', { approvalId: turn.approvalId, error })
    if (!notSent(error)) return tryAgain(ctx, turn, now)
    return approvalTurnWork.later(ctx, turn, startingSeconds, { remove: ['seed'], now })
  }
  await end(ctx, turn)
}

/** Returns the conversation of the session that asked. */
function topicOf({ session }: Approval): string | undefined {
  if (session === 'default') return undefined
  return session.length > maxTopic ? 'approvals' : session
}

/** Requests another turn after a failed one that the agent may not have received. */
function tryAgain(ctx: TellContext, turn: Turn, now: number): Promise<void> {
  const count = (turn.failed ?? 0) + 1
  if (count >= maxFailed) return end(ctx, turn)
  const change = { set: { failed: count }, remove: ['seed'] }
  return approvalTurnWork.later(ctx, turn, stoppedSeconds, { ...change, now })
}

/** @throws LeaseLost */
async function end({ table }: TellContext, turn: Turn): Promise<void> {
  const refusals = await tryCommit(table, { turn: approvalTurnWork.deleted(turn) })
  if (refusals !== undefined) throw new LeaseLost(turn.approvalId)
}

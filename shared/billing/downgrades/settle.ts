import { findUser, isAdmin, profileKey, type User } from '#shared/accounts/users/user.ts'
import { lapsedRetentionMs, lapseAgent, resumeAgent } from '#shared/agents/fleet/lifecycle/lapse.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { hasOwnBot } from '#shared/agents/record/config/channels.ts'
import { listAgents } from '#shared/agents/record/list.ts'
import {
  type PaidAccess,
  paidAccessOf,
  entitledChanges,
} from '#shared/agents/record/paid-access.ts'
import { planEnded } from '#shared/agents/record/running.ts'
import { awakeLimit } from '#shared/money/plans/tiers.ts'
import { dayOf } from '#shared/platform/days.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Condition } from '#shared/platform/table/port.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { DowngradeContext } from './context.ts'

/** A user, with the access that the rules were applied to. */
export interface EvaluatedUser {
  user: User
  access: PaidAccess
  /** The condition that the plan has not changed. */
  unchanged: Condition & { if: string }
  /** The error to throw if the plan has changed. */
  moved: PlatformError
}

/**
 * Stops and starts a user's agents by their plan, each on condition that the plan has not changed. If a payment changes
 * the plan in the meantime, the evaluation starts again with the new plan.
 * @param input.follow called afterwards with the evaluated plan; called again if the plan has changed
 * @returns undefined for a user without an account here
 */
export async function settleAgents(
  ctx: DowngradeContext,
  { userId, follow }: { userId: string; follow: (judged: EvaluatedUser) => Promise<void> },
  now: number,
): Promise<EvaluatedUser | undefined> {
  const moved = new PlatformError('unavailable', 'The plan has changed in the meantime')
  return retryOptimistically(async () => {
    const user = await findUser(ctx.table, userId)
    if (user === undefined) return undefined
    const { plan, subscription } = user
    const unchanged = {
      if: '#plan = :plan AND #subscription = :subscription',
      values: { plan, subscription },
    }
    const payer = { ...user, isAdmin: isAdmin(user, ctx.adminEmails) }
    const judged = { user, access: paidAccessOf(payer), unchanged, moved }
    const agents = await listAgents(ctx, { userId, consistent: true })
    try {
      await changeAgents(
        ctx,
        { ...judged, ...entitledChanges(payer, agents), limit: awakeLimit(payer, ctx) },
        now,
      )
      await follow(judged)
      return judged
    } catch (error) {
      if (error !== moved) throw error
      return overtaken
    }
  })
}

async function changeAgents(
  ctx: DowngradeContext,
  {
    user,
    access,
    unchanged,
    moved,
    stop,
    start,
    limit,
  }: EvaluatedUser & { stop: Agent[]; start: Agent[]; limit: number | undefined },
  now: number,
): Promise<void> {
  const write = userStore(ctx.table, user.id).write.check(profileKey, unchanged)
  const onChange = { write, refused: () => moved }
  const why = reasonFor(access, now)
  for (const agent of stop) await lapseAgent(ctx, { agent, onChange, why }, now)
  for (const agent of inOrder(start))
    await resumeAgent(ctx, { agent, onChange, awakeLimit: limit }, now)
}

/**
 * Sorts agents in the order to start them, in case the plan does not allow all of them to be awake: first the agents
 * whose containers run bots, which no message would wake, then the oldest.
 */
function inOrder(newestFirst: readonly Agent[]): Agent[] {
  const [apart, withBots] = [false, true].map((is) =>
    newestFirst.filter((agent) => hasOwnBot(agent) === is).toReversed(),
  )
  return [...(withBots ?? []), ...(apart ?? [])]
}

/** Returns the reason for the stop that the owner sees: contract.md 7. */
function reasonFor(access: PaidAccess, now: number): { code: string; text: string } {
  const day = dayOf(now + lapsedRetentionMs)
  const retention = `The agent is kept until ${day} and starts again if the plan has room for it`
  return access === 'over'
    ? { code: planEnded, text: `The plan has ended. ${retention}` }
    : { code: 'PlanLimit', text: `The plan allows fewer agents. ${retention}` }
}

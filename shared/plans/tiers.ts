import { findPlan, type Plan, type PlanName, planNames, plans } from './plans.ts'
import { isPaying } from './subscriptions.ts'

/** contract.md 4. A tier caps agents by spec.md's limits of web provisioning, also where its plan allows more. */
const tiers: ReadonlyMap<string, { plan: Plan; agents: number }> = new Map([
  ['starter', { plan: plans.solo, agents: 1 }],
  ['pro', { plan: plans.collective, agents: 3 }],
  ['enterprise', { plan: plans.network, agents: 100 }],
])

/** What an admin may have: contract.md 4. */
const adminAgents = 999

/** spec.md, Limits: agent limits, backend POST /api/provision. */
const channelAgents: Readonly<Record<PlanName, number>> = {
  solo: 1,
  collective: 3,
  label: 10,
  // No limit: the table counts up to a number, so it is the largest one.
  network: Number.MAX_SAFE_INTEGER,
}

/** The plan that a tier or a plan's own name stands for; undefined for any other word. */
export function findPlanByTier(tier: string): Plan | undefined {
  return tiers.get(tier)?.plan ?? findPlan(tier)
}

/** The plan that a provisioning request's tier stands for: `label` for an unknown word. */
export function planOfTier(tier: string | undefined): Plan {
  return (tier === undefined ? undefined : findPlanByTier(tier)) ?? plans.label
}

/** What a container's size goes by. A plan stays with a user whose subscription has ended, and opens nothing. */
export interface Payer {
  plan: string
  subscription: { status: string }
  isAdmin: boolean
}

/** The plan that a user's container runs on: the tier's, and no larger than what they pay for. */
export function planWithin(user: Payer, tier?: string): Plan {
  const wanted = planOfTier(tier)
  const own = isPaying(user.subscription.status) ? planOfTier(user.plan) : plans.label
  const isLarger = planNames.indexOf(wanted.name) > planNames.indexOf(own.name)
  return isLarger && !user.isAdmin ? own : wanted
}

/**
 * How many agents a user may have: by the stored plan (1 without one), and no more than the tier that a request
 * names; an unknown tier lowers it to 1.
 */
export function agentLimit(user: { plan: string; isAdmin: boolean }, tier?: string): number {
  if (user.isAdmin) return adminAgents
  const byPlan = findPlan(user.plan)?.agents ?? 1
  if (tier === undefined) return byPlan
  return Math.min(byPlan, tiers.get(tier)?.agents ?? findPlan(tier)?.agents ?? 1)
}

/**
 * How many agents of a user may be awake at once, 1 without a plan. Undefined where nothing bounds them: for admins, and on
 * one machine, where an agent that is awake costs nobody anything.
 */
export function awakeLimit(
  user: { plan: string; isAdmin: boolean },
  { deployed }: { deployed: boolean },
): number | undefined {
  return user.isAdmin || !deployed ? undefined : (findPlan(user.plan)?.awake ?? 1)
}

/** How many agents a user may have where another is made that answers on chat services; none without a plan. */
export function channelAgentLimit(user: { plan: string; isAdmin: boolean }): number {
  if (user.isAdmin) return adminAgents
  const plan = findPlan(user.plan)
  return plan === undefined ? 0 : channelAgents[plan.name]
}

import { findPlan, type Plan, type PlanName, planNames, plans } from './plans.ts'
import { isPaying } from './subscriptions.ts'

/** contract.md 4. A tier limits agents by spec.md's limits of web provisioning, even if its plan allows more. */
const tiers: ReadonlyMap<string, { plan: Plan; agents: number }> = new Map([
  ['starter', { plan: plans.solo, agents: 1 }],
  ['pro', { plan: plans.collective, agents: 3 }],
  ['enterprise', { plan: plans.network, agents: 100 }],
])

/** The maximum number of agents of an admin: contract.md 4. */
const adminAgents = 999

/** spec.md, Limits: agent limits, backend POST /api/provision. */
const channelAgents: Readonly<Record<PlanName, number>> = {
  solo: 1,
  collective: 3,
  label: 10,
  // No limit. The table's counters need a number, so this is the largest possible one.
  network: Number.MAX_SAFE_INTEGER,
}

/** Returns the plan for a tier or a plan's own name; undefined for any other text. */
export function findPlanByTier(tier: string): Plan | undefined {
  return tiers.get(tier)?.plan ?? findPlan(tier)
}

/** Returns the plan for a provisioning request's tier: `label` for an unknown tier. */
export function planOfTier(tier: string | undefined): Plan {
  return (tier === undefined ? undefined : findPlanByTier(tier)) ?? plans.label
}

/**
 * The user's plan and subscription, which limit the container's size. A user keeps the plan after the subscription has
 * ended, but it then enables nothing.
 */
export interface Payer {
  plan: string
  subscription: { status: string }
  isAdmin: boolean
}

/** Returns the plan of a user's container: the tier's, but no larger than the plan that the user pays for. */
export function planWithin(user: Payer, tier?: string): Plan {
  const wanted = planOfTier(tier)
  const own = isPaying(user.subscription.status) ? planOfTier(user.plan) : plans.label
  const isLarger = planNames.indexOf(wanted.name) > planNames.indexOf(own.name)
  return isLarger && !user.isAdmin ? own : wanted
}

/**
 * Returns the maximum number of agents of a user: the lower of the limits of the stored plan (1 without a plan) and of
 * the requested tier (1 for an unknown tier).
 */
export function agentLimit(user: { plan: string; isAdmin: boolean }, tier?: string): number {
  if (user.isAdmin) return adminAgents
  const byPlan = findPlan(user.plan)?.agents ?? 1
  if (tier === undefined) return byPlan
  return Math.min(byPlan, tiers.get(tier)?.agents ?? findPlan(tier)?.agents ?? 1)
}

/**
 * Returns the maximum number of a user's awake agents, 1 without a plan. Undefined means no limit: for admins, and on
 * one machine, where awake agents cost nothing.
 */
export function awakeLimit(
  user: { plan: string; isAdmin: boolean },
  { deployed }: { deployed: boolean },
): number | undefined {
  return user.isAdmin || !deployed ? undefined : (findPlan(user.plan)?.awake ?? 1)
}

/**
 * Returns the maximum number of agents that a user may have to create an agent with chat services; 0 without a plan.
 */
export function channelAgentLimit(user: { plan: string; isAdmin: boolean }): number {
  if (user.isAdmin) return adminAgents
  const plan = findPlan(user.plan)
  return plan === undefined ? 0 : channelAgents[plan.name]
}

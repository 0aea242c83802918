import { isAdmin, toUser, type User } from '../accounts/user.ts'
import { type Agent, toAgent } from '../agents/agent.ts'
import type { AgentActor, InternalActor, UserActor, UserIdentity } from '../identity/actor.ts'
import type { Amount } from '../money/amount.ts'
import { PlatformError } from '../platform/errors.ts'
import { platformOwner } from '../platform/table/user-store.ts'
import type { Telemetry } from '../spans/record.ts'
import { findPlan, type Plan, planNames, plans } from '../plans/plans.ts'
import { monthlyCap, type PlanCaps } from '../plans/spend-cap.ts'
import { isPaying } from '../plans/subscriptions.ts'
import { anonymous } from '../usage/shared-callers.ts'

/** Who a completion is for, what they have paid for, and what they want spent. */
export interface Caller {
  /** Whose quota it is. */
  userId: string
  agentId: string | null
  /** The user's key that asks, where one does. */
  key?: { keyId: string; keyName: string | null } | undefined
  plan: Plan | undefined
  subscribed: boolean
  /** What the user, and the agent alone, may spend in a calendar month in UTC; null for no cap. */
  cap: Amount<'USD'> | null
  agentCap: Amount<'USD'> | null
  /** What calls beyond the plan's quota may draw of the user's credits; 0 where the user wants none drawn. */
  creditMicroUsd: number
  /** Keys of the user's own at model providers, by the provider's name; sealed. */
  byok: Readonly<Record<string, string>>
  /** What is told of the call to a collector of the user's; absent where nothing is. */
  telemetry?: Telemetry | undefined
}

/** What only a trusted caller, one with the platform's own key, may say of the user it acts for: contract.md 5. */
export interface Billing {
  plan: string | undefined
  subscriptionId: string | undefined
}

/** Admins, and the platform itself, are treated as network-level: spec.md, Plans. */
const unlimited = { plan: plans.network, subscribed: true }

/** The operator's settings for callers. */
export interface CallerRules {
  adminEmails: string[]
  planCaps: PlanCaps
}

/** Who calls, and by which plan: from the stored profile, or from what a trusted caller says. */
export function callerOf(
  rules: CallerRules,
  actor: AgentActor | InternalActor | UserActor,
  billing: Billing,
): Caller {
  if (actor.type === 'agent') return agentCaller(rules, actor)
  if (actor.type === 'user') {
    const { user } = actor
    const paid = user.isAdmin ? unlimited : paidBy(user)
    const { keyId, keyName = null } = user
    const key = keyId === undefined ? undefined : { keyId, keyName }
    return {
      userId: user.id,
      agentId: null,
      key,
      ...paid,
      ...limitsOf({ user, planCap: planCapOf(rules, paid) }),
    }
  }
  const { userId, email, profile } = actor
  const admin = email !== undefined && rules.adminEmails.includes(email)
  const said = { plan: findPlan(billing.plan), subscribed: Boolean(billing.subscriptionId) }
  const paid = admin ? unlimited : said
  // Callers without a user share one month. They have no plan, so no plan's cap applies.
  const planCap = userId === undefined ? undefined : planCapOf(rules, paid)
  return {
    userId: userId ?? anonymous,
    agentId: null,
    ...paid,
    ...limitsOf({ user: profile && toUser(profile), planCap }),
  }
}

/** Returns the operator's cap for the plan that pays. Administrators and the platform itself have no cap. */
function planCapOf(
  { planCaps }: CallerRules,
  paid: { plan: Plan | undefined },
): number | undefined {
  return paid === unlimited || paid.plan === undefined ? undefined : planCaps[paid.plan.name]
}

/**
 * An agent spends from its owner's plan. One without an owner acts for the platform. One whose owner has no account
 * here was made by a trusted caller, for a user of its own and with the plan that the agent's row has.
 */
function agentCaller(rules: CallerRules, { agentId, userId, rows }: AgentActor): Caller {
  const agent = rows.agent && toAgent(rows.agent)
  const user = rows.owner && toUser(rows.owner)
  const isUnlimited = userId === null || (user && isAdmin(user, rules.adminEmails))
  const paid = isUnlimited ? unlimited : paidFor(agent, user)
  return {
    userId: userId ?? platformOwner,
    agentId,
    ...paid,
    ...limitsOf({ user, agent, planCap: planCapOf(rules, paid) }),
  }
}

function paidFor(agent: Agent | undefined, user: User | undefined) {
  if (user !== undefined) return paidBy(user)
  const plan = findPlan(agent?.plan)
  return { plan, subscribed: plan !== undefined }
}

function paidBy({ plan, subscription }: Pick<User, 'plan'> & { subscription: { status: string } }) {
  return { plan: findPlan(plan), subscribed: isPaying(subscription.status) }
}

type Spending = Pick<
  UserIdentity,
  'byok' | 'creditMicroUsd' | 'spendCapUsd' | 'telemetry' | 'useCredits'
>

function limitsOf({
  user,
  agent,
  planCap,
}: {
  user: Spending | undefined
  agent?: Agent | undefined
  planCap: number | undefined
}): Pick<Caller, 'agentCap' | 'byok' | 'cap' | 'creditMicroUsd' | 'telemetry'> {
  const agentCap = agent?.config.spendCapUsd
  return {
    cap: monthlyCap(user?.spendCapUsd, planCap),
    agentCap: monthlyCap(typeof agentCap === 'number' ? agentCap : undefined, undefined),
    creditMicroUsd: user?.useCredits === false ? 0 : (user?.creditMicroUsd ?? 0),
    byok: user?.byok ?? {},
    ...(user?.telemetry && { telemetry: { content: user.telemetry.content } }),
  }
}

/** @throws PlatformError 402 PLAN_REQUIRED, 402 SUBSCRIPTION_REQUIRED */
export function requirePlan({ plan, subscribed }: Caller): Plan {
  if (plan === undefined)
    throw new PlatformError('payment-required', `A plan is required: ${planNames.join(', ')}`, {
      code: 'PLAN_REQUIRED',
    })
  if (!subscribed)
    throw new PlatformError('payment-required', 'An active subscription is required', {
      code: 'SUBSCRIPTION_REQUIRED',
    })
  return plan
}

import { isAdmin, toUser, type User } from '#shared/accounts/users/user.ts'
import { type Agent, toAgent } from '#shared/agents/record/agent.ts'
import type { Amount } from '#shared/money/amounts/amount.ts'
import { readCap } from '#shared/money/amounts/cap.ts'
import { findPlan, type Plan, planNames, plans } from '#shared/money/plans/plans.ts'
import { monthlyCap, type PlanCaps } from '#shared/money/plans/spend-cap.ts'
import { isPaying } from '#shared/money/plans/subscriptions.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type {
  AgentActor,
  InternalActor,
  UserActor,
  UserIdentity,
} from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Routing } from '#shared/platform/model-routing.ts'
import { platformOwner } from '#shared/platform/table/user-store.ts'
import type { Telemetry } from '#shared/signals/spans/record.ts'
import { dailyLimit, keySpendLimits, type SpendLimit } from '../usage/quota/spend-limit.ts'
import { anonymous } from '../usage/shared-callers.ts'

/** The caller of a completion, with their plan and limits. */
export interface Caller {
  /** The user whose quota is used. */
  userId: string
  agentId: string | null
  /** The API key of the request, if there is one. */
  key?: { keyId: string; keyName: string | null } | undefined
  plan: Plan | undefined
  subscribed: boolean
  /** The monthly spend caps (UTC) of the user and of the agent. Null for no cap. */
  cap: Amount<'USD'> | null
  agentCap: Amount<'USD'> | null
  /** The daily limits of the user and the agent, and the limits of the API key. */
  spendLimits: readonly SpendLimit[]
  /** The routing of the API key. */
  routing?: Routing | undefined
  /** The models that the API key may use. Undefined for all. */
  models?: readonly string[] | undefined
  /** The credits that calls above the plan's quota can use. 0 if the user does not allow it. */
  creditMicroUsd: number
  /** The user's own provider keys, encrypted, by provider name. */
  byok: Readonly<Record<string, string>>
  /** The span settings of the user's collector. Absent without a collector. */
  telemetry?: Telemetry | undefined
}

/** Headers about the acting user, which are only accepted from a trusted caller: contract.md 5. */
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

/** Returns the caller and their plan: from the stored profile, or from a trusted caller's headers. */
export function callerOf(
  ctx: CallerRules & Pick<Context<AgentActor | InternalActor | UserActor>, 'actor' | 'owner'>,
  billing: Billing,
): Caller {
  const { actor, owner, adminEmails } = ctx
  if (actor.type === 'agent') return { userId: owner ?? platformOwner, ...agentLimits(ctx, actor) }
  if (actor.type === 'user') {
    const { user } = actor
    const paid = user.isAdmin ? unlimited : paidBy(user)
    const { keyId, keyName = null, keyLimits = {} } = user
    const key = keyId === undefined ? undefined : { keyId, keyName }
    const limits = limitsOf({ user, planCap: planCapOf(ctx, paid) })
    const ofKey = keyId === undefined ? [] : keySpendLimits(keyId, keyLimits)
    return {
      userId: owner ?? anonymous,
      agentId: null,
      key,
      models: keyLimits.models,
      routing: keyLimits.routing,
      ...paid,
      ...limits,
      spendLimits: [...limits.spendLimits, ...ofKey],
    }
  }
  const { email, profile } = actor
  const admin = email !== undefined && adminEmails.includes(email)
  const billed = { plan: findPlan(billing.plan), subscribed: Boolean(billing.subscriptionId) }
  const paid = admin ? unlimited : billed
  // Callers without a user share one month. They have no plan, so no cap of a plan applies.
  const planCap = owner === undefined ? undefined : planCapOf(ctx, paid)
  return {
    userId: owner ?? anonymous,
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
 * Returns the plan and limits for an agent, which uses its owner's plan. An agent without an owner acts for the platform. If the
 * owner has no account here, a trusted caller created the agent for its own user, and the plan in the agent's row
 * applies.
 */
function agentLimits(
  rules: CallerRules,
  { agentId, userId, rows }: AgentActor,
): Omit<Caller, 'userId'> {
  const agent = rows.agent && toAgent(rows.agent)
  const user = rows.owner && toUser(rows.owner)
  const isUnlimited = userId === null || (user && isAdmin(user, rules.adminEmails))
  const paid = isUnlimited ? unlimited : paidFor(agent, user)
  return {
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
  | 'byok'
  | 'creditMicroUsd'
  | 'id'
  | 'spendCapUsd'
  | 'spendCapUsdPerDay'
  | 'telemetry'
  | 'useCredits'
>

function limitsOf({
  user,
  agent,
  planCap,
}: {
  user: Spending | undefined
  agent?: Agent | undefined
  planCap: number | undefined
}): Pick<Caller, 'agentCap' | 'byok' | 'cap' | 'creditMicroUsd' | 'spendLimits' | 'telemetry'> {
  const config = agent?.config ?? {}
  return {
    cap: monthlyCap(user?.spendCapUsd, planCap),
    agentCap: monthlyCap(readCap(config.spendCapUsd), undefined),
    spendLimits: [
      ...(user ? dailyLimit('user', user.id, user.spendCapUsdPerDay) : []),
      ...(agent ? dailyLimit('agent', agent.id, readCap(config.spendCapUsdPerDay)) : []),
    ],
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

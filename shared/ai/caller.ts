import { isAdmin, profileKey, toUser } from '../accounts/user.ts'
import { agentKey } from '../agents/agent.ts'
import type { AgentActor, InternalActor, UserActor } from '../http/actor.ts'
import { PlatformError } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import { platformOwner, userPartition } from '../platform/table/user-store.ts'
import { findPlan, type Plan, planNames, plans } from '../plans/plans.ts'
import { isPaying } from '../plans/subscriptions.ts'

/** Who a completion is for, and what they have paid for. */
export interface Caller {
  /** Whose quota it is. */
  userId: string
  agentId: string | null
  plan: Plan | undefined
  subscribed: boolean
}

/** What only a trusted caller, one with the platform's own key, may say of the user it acts for: contract.md 5. */
export interface Billing {
  plan: string | undefined
  subscriptionId: string | undefined
}

/** Admins, and the platform itself, are treated as network-level: spec.md, Plans. */
const unlimited = { plan: plans.network, subscribed: true }

const anonymous = 'anonymous'

/** Who calls, and by which plan: from the stored profile, or from what a trusted caller says. One read at most. */
export async function callerOf(
  { table, adminEmails }: { table: Table; adminEmails: string[] },
  actor: AgentActor | InternalActor | UserActor,
  billing: Billing,
): Promise<Caller> {
  if (actor.type === 'agent') return agentCaller(table, adminEmails, actor)
  if (actor.type === 'user') {
    const { id, plan, subscription } = actor.user
    const paid = { plan: findPlan(plan), subscribed: isPaying(subscription.status) }
    return { userId: id, agentId: null, ...(actor.user.isAdmin ? unlimited : paid) }
  }
  const admin = actor.email !== undefined && adminEmails.includes(actor.email)
  const said = { plan: findPlan(billing.plan), subscribed: Boolean(billing.subscriptionId) }
  return { userId: actor.userId ?? anonymous, agentId: null, ...(admin ? unlimited : said) }
}

/**
 * An agent spends from its owner's plan. One without an owner acts for the platform. One whose owner has no account
 * here was made by a trusted caller, for a user of its own and with the plan that the agent's row has.
 */
async function agentCaller(
  table: Table,
  adminEmails: string[],
  { agentId, userId }: AgentActor,
): Promise<Caller> {
  if (userId === null) return { userId: platformOwner, agentId, ...unlimited }
  const [profile, agent] = await table.getMany([
    { pk: userPartition(userId), sk: profileKey },
    agentKey({ userId, agentId }),
  ])
  if (profile === undefined) {
    const plan = findPlan(agent && String(agent.plan))
    return { userId, agentId, plan, subscribed: plan !== undefined }
  }
  const user = toUser(profile)
  const paid = { plan: findPlan(user.plan), subscribed: isPaying(user.subscription.status) }
  return { userId, agentId, ...(isAdmin(user, adminEmails) ? unlimited : paid) }
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

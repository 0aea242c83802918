import { findUserByEmail } from '../../accounts/user.ts'
import type { InternalActor, UserIdentity } from '../../http/actor.ts'
import type { PlanName } from '../../plans/plans.ts'
import { isPaying } from '../../plans/subscriptions.ts'
import { agentLimit, planOfTier } from '../../plans/tiers.ts'
import { notFound, PlatformError } from '../../platform/errors.ts'
import type { Agent } from '../agent.ts'
import { requirePlan } from '../config/by-user.ts'
import type { AgentServices } from '../context.ts'
import { insertAgent } from '../insert.ts'
import { findOwner, limitReached, type Owner } from '../owner.ts'
import { defaultModel, providerOf } from '../provider.ts'
import { requireEnabled } from '../provision.ts'
import { sendStart } from '../provisioning/messages.ts'
import type { ChannelProvisioning, ChannelTokens, UsersChannelProvisioning } from './schema.ts'

/** spec.md, Limits: agent limits, backend POST /api/provision. */
const limits: Readonly<Record<PlanName, number>> = {
  solo: 1,
  collective: 3,
  label: 10,
  // The table counts up to a number; this one nobody reaches.
  network: Number.MAX_SAFE_INTEGER,
}

/**
 * Makes an agent that is to run and answers on chat services, for a trusted caller: its word for the plan holds.
 * @throws PlatformError 503 PROVISIONING_DISABLED, 400 without an owner, 402 PLAN_REQUIRED for `free`, 404 for an
 * unknown email, 402 AGENT_LIMIT_REACHED with current and limit
 */
export async function provisionChannels(
  ctx: AgentServices,
  by: InternalActor,
  input: ChannelProvisioning,
  seed: string,
): Promise<Agent> {
  requireEnabled(ctx)
  if (input.plan === 'free')
    throw new PlatformError('payment-required', 'A plan is required', { code: 'PLAN_REQUIRED' })
  const plan = planOfTier(input.plan).name
  const userId = await ownerOf(ctx, by.userId ?? input.userId, input.email)
  const limitOf = limitFor(plan)
  const owner = await findOwner(ctx.table, userId, ctx.config.ADMIN_EMAILS, by.email, limitOf)
  return provision(ctx, owner, { ...input, plan }, seed)
}

/**
 * The same for a signed-in user: at most the plan that they pay for, and counted by that one.
 * @throws PlatformError 402 SUBSCRIPTION_REQUIRED, and as provisionChannels
 */
export async function provisionUsersChannels(
  ctx: AgentServices,
  user: UserIdentity,
  input: UsersChannelProvisioning,
  seed: string,
): Promise<Agent> {
  requireEnabled(ctx)
  if (!user.isAdmin && !isPaying(user.subscription.status))
    throw new PlatformError('payment-required', 'An active subscription is required', {
      code: 'SUBSCRIPTION_REQUIRED',
    })
  const own = user.isAdmin ? 'network' : planOfTier(user.plan).name
  requirePlan(user, input.plan)
  const owner = await findOwner(
    ctx.table,
    user.id,
    ctx.config.ADMIN_EMAILS,
    user.email,
    limitFor(own),
  )
  const plan = planOfTier(input.plan ?? own).name
  return provision(ctx, owner, { ...input, plan }, seed)
}

interface Wanted extends ChannelTokens {
  name?: string | undefined
  plan: PlanName
  aiProvider?: string | undefined
}

async function provision(
  ctx: AgentServices,
  owner: Owner,
  { name = 'Agent', plan, aiProvider, ...tokens }: Wanted,
  seed: string,
): Promise<Agent> {
  const { telegramToken, discordBotToken, whatsappToken } = tokens
  const draft = {
    name,
    plan,
    model: defaultModel,
    aiProvider: providerOf(undefined, { aiProvider }),
    config: { telegramToken, discordBotToken, whatsappToken },
    running: true,
  }
  const agent = await insertAgent(ctx, owner, draft, seed, limitReached)
  if (agent.desired === 'running') await sendStart(ctx.queues, agent)
  return agent
}

function limitFor(plan: PlanName) {
  return ({ isAdmin }: { isAdmin: boolean }): number =>
    isAdmin ? agentLimit({ plan, isAdmin }) : limits[plan]
}

async function ownerOf(
  { table }: AgentServices,
  userId: string | undefined,
  email: string | undefined,
): Promise<string> {
  if (userId !== undefined) return userId
  if (email === undefined) throw new PlatformError('bad-request', 'userId or email required')
  const user = await findUserByEmail(table, email)
  if (user === undefined) throw notFound('User')
  return user.id
}

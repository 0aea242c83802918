import { findUser, findUserByEmail, isAdmin, type User } from '#shared/accounts/users/user.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { requireEnabled } from '#shared/agents/record/guard.ts'
import { insertAgent } from '#shared/agents/record/insert.ts'
import { findOwner, agentLimitReached, type Owner } from '#shared/agents/record/owner.ts'
import { defaultModel, providerOf } from '#shared/agents/record/provider.ts'
import type { PlanName } from '#shared/money/plans/plans.ts'
import { isPaying, refuseFree, subscriptionRequired } from '#shared/money/plans/subscriptions.ts'
import { channelAgentLimit, planOfTier } from '#shared/money/plans/tiers.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context, UserContext } from '#shared/platform/identity/context.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { requirePlan } from '../config/by-user.ts'
import { sendStart } from '../requests/send.ts'
import type { ChannelProvisioning, ChannelTokens, UsersChannelProvisioning } from './schema.ts'

/**
 * Creates and starts an agent with chat channels, for a trusted caller. The plan of the request is not checked. A
 * caller that acts for a user starts the agent as that user, who must have a paid plan.
 * @throws PlatformError 503 PROVISIONING_DISABLED, 400 without an owner, 402 PLAN_REQUIRED for `free`, 404 for an
 * unknown user, 402 SUBSCRIPTION_REQUIRED, 402 AGENT_LIMIT_REACHED with current and limit
 */
export async function provisionChannels(
  ctx: Pick<Context<InternalActor>, 'actor' | 'owner' | 'requestId' | 'seed'> &
    AgentContext &
    Reads<AgentSetting>,
  input: ChannelProvisioning,
): Promise<Agent> {
  requireEnabled(ctx)
  refuseFree(input.plan)
  const plan = planOfTier(input.plan).name
  const { ADMIN_EMAILS } = ctx.config
  const user = await ownerOf(ctx, ctx.owner ?? input.userId, input.email)
  const owner = await findOwner(ctx, {
    userId: user.id,
    adminEmails: ADMIN_EMAILS,
    email: ctx.actor.email,
    limitOf: limitFor(plan),
  })
  const mustPay = ctx.owner !== undefined && !isAdmin(user, ADMIN_EMAILS)
  const payer: Owner = mustPay ? { ...owner, mustPay } : owner
  return provision(ctx, { owner: payer, wanted: { ...input, plan } })
}

/**
 * Creates and starts an agent with chat channels for a signed-in user. The plan is limited to the user's own, whose
 * agent limit applies.
 * @throws PlatformError 402 SUBSCRIPTION_REQUIRED, and as provisionChannels
 */
export async function provisionUsersChannels(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'requestId' | 'seed'> &
    AgentContext &
    Reads<AgentSetting>,
  input: UsersChannelProvisioning,
): Promise<Agent> {
  const { user } = ctx.actor
  requireEnabled(ctx)
  if (!user.isAdmin && !isPaying(user.subscription.status)) throw subscriptionRequired()
  const own = user.isAdmin ? 'network' : planOfTier(user.plan).name
  requirePlan(user, input.plan)
  const owner = await findOwner(ctx, {
    userId: ctx.owner,
    adminEmails: ctx.config.ADMIN_EMAILS,
    email: user.email,
    limitOf: limitFor(own),
  })
  const plan = planOfTier(input.plan ?? own).name
  const payer: Owner = user.isAdmin ? owner : { ...owner, mustPay: true }
  return provision(ctx, { owner: payer, wanted: { ...input, plan } })
}

interface Wanted extends ChannelTokens {
  name?: string | undefined
  plan: PlanName
  aiProvider?: string | undefined
}

async function provision(
  ctx: AgentContext & Reads<AgentSetting> & { seed: string },
  { owner, wanted }: { owner: Owner; wanted: Wanted },
): Promise<Agent> {
  const { name = 'Agent', plan, aiProvider, ...tokens } = wanted
  const { telegramToken, discordBotToken, whatsappToken } = tokens
  const draft = {
    name,
    plan,
    model: defaultModel,
    aiProvider: providerOf(undefined, { aiProvider }),
    config: { telegramToken, discordBotToken, whatsappToken },
    running: true,
  }
  const agent = await insertAgent(ctx, { owner, draft, refuse: agentLimitReached })
  if (agent.desired === 'running') await sendStart(ctx.queues, agent)
  return agent
}

function limitFor(plan: PlanName) {
  return ({ isAdmin }: { isAdmin: boolean }): number => channelAgentLimit({ plan, isAdmin })
}

async function ownerOf(
  { table }: Pick<Context, 'table'>,
  userId: string | undefined,
  email: string | undefined,
): Promise<User> {
  const user =
    userId === undefined ? await findByEmail(table, email) : await findUser(table, userId)
  if (user === undefined) throw notFound('User')
  return user
}

async function findByEmail(table: Table, email: string | undefined): Promise<User | undefined> {
  if (email === undefined) throw new PlatformError('bad-request', 'userId or email required')
  return findUserByEmail(table, email)
}

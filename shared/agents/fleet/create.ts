import { refuseFree } from '#shared/money/plans/subscriptions.ts'
import { planOfTier } from '#shared/money/plans/tiers.ts'
import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Agent } from '../record/agent.ts'
import type { AgentContext, AgentSetting } from '../record/context.ts'
import { insertAgent } from '../record/insert.ts'
import { findOwner, agentLimitReached } from '../record/owner.ts'
import { defaultModel, providerOf } from '../record/provider.ts'
import type { NewAgent } from '../record/schema.ts'

/**
 * Creates an agent without starting it. Its owner is the user that the caller acts for, or the user in the input;
 * without either, the platform owns it.
 * @throws PlatformError 402 PLAN_REQUIRED for `free`, 402 AGENT_LIMIT_REACHED with current and limit
 */
export async function createAgent(
  ctx: Pick<Context<InternalActor>, 'actor' | 'owner' | 'requestId' | 'seed'> &
    AgentContext &
    Reads<AgentSetting>,
  input: NewAgent,
): Promise<Agent> {
  const { name, config = {} } = input
  refuseFree(config.plan)
  const userId = ctx.owner ?? input.userId
  const owner =
    userId === undefined
      ? undefined
      : await findOwner(ctx, {
          userId,
          adminEmails: ctx.config.ADMIN_EMAILS,
          email: ctx.actor.email,
        })
  const draft = {
    name,
    config,
    model: config.model ?? defaultModel,
    plan: planOfTier(config.plan ?? undefined).name,
    aiProvider: providerOf(undefined, config),
    running: false,
  }
  return insertAgent(ctx, { owner, draft, refuse: agentLimitReached })
}

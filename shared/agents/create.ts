import { planOfTier } from '../plans/tiers.ts'
import type { Agent } from './agent.ts'
import type { AgentServices } from './context.ts'
import { insertAgent } from './insert.ts'
import { findOwner, limitReached } from './owner.ts'
import { defaultModel, providerOf } from './provider.ts'
import type { NewAgent } from './schema.ts'

/** Who a trusted caller acts for. */
export interface OnBehalf {
  userId: string | undefined
  email: string | undefined
}

/**
 * Makes an agent that does not run yet.
 * @param by x-user-id comes before the body's userId; without either the agent is the platform's own
 * @throws PlatformError 402 AGENT_LIMIT_REACHED with current and limit
 */
export async function createAgent(
  ctx: AgentServices,
  input: NewAgent,
  by: OnBehalf,
  seed: string,
): Promise<Agent> {
  const { name, config = {} } = input
  const userId = by.userId ?? input.userId
  const owner =
    userId === undefined
      ? undefined
      : await findOwner(ctx.table, userId, ctx.config.ADMIN_EMAILS, by.email)
  const draft = {
    name,
    config,
    model: config.model ?? defaultModel,
    plan: planOfTier(config.plan ?? undefined).name,
    aiProvider: providerOf(undefined, config),
    running: false,
  }
  return insertAgent(ctx, owner, draft, seed, limitReached)
}

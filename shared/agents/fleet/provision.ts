import { isPaying, subscriptionRequired } from '#shared/money/plans/subscriptions.ts'
import { planWithin } from '#shared/money/plans/tiers.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { Agent } from '../record/agent.ts'
import type { AgentContext, AgentSetting } from '../record/context.ts'
import { requireEnabled } from '../record/guard.ts'
import { insertAgent } from '../record/insert.ts'
import { payingOwner } from '../record/owner.ts'
import { providerOf } from '../record/provider.ts'
import type { Provisioning } from '../record/schema.ts'
import { sendStart } from './requests/send.ts'

/**
 * Creates and starts an agent. Its status becomes running when the events of its task arrive.
 * @throws PlatformError 503 PROVISIONING_DISABLED, 402 without an active subscription, 429 with current and limit
 */
export async function provisionAgent(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'requestId' | 'seed'> &
    AgentContext &
    Reads<AgentSetting>,
  { name, model, config = {}, tier }: Provisioning,
): Promise<Agent> {
  const { user } = ctx.actor
  requireEnabled(ctx)
  if (!user.isAdmin && !isPaying(user.subscription.status)) throw subscriptionRequired()
  const owner = payingOwner(ctx, tier)
  const draft = {
    name,
    model,
    config,
    plan: planWithin(user, tier).name,
    aiProvider: providerOf(model, config),
    running: true,
  }
  const agent = await insertAgent(ctx, { owner, draft, refuse: provisionLimitReached })
  if (agent.desired === 'running') await sendStart(ctx.queues, agent)
  return agent
}

export function provisionLimitReached(current: number, limit: number): PlatformError {
  return new PlatformError('too-many-requests', 'Agent limit reached', {
    details: { current, limit },
  })
}

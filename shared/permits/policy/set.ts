import { requireAgent } from '#shared/agents/record/find.ts'
import { scopeRequired } from '#shared/platform/errors.ts'
import { mayMoveMoney } from '#shared/platform/identity/actor.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { changePolicy } from './change.ts'
import { loosensPayments } from './loosens.ts'
import type { Policy } from './policy.ts'

/**
 * Replaces an agent's policy.
 * @throws PlatformError 404, 403 SCOPE_REQUIRED for a key without `money` that loosens the policy for payments
 */
export async function setPolicy(
  ctx: UserContext,
  { agentId, ...after }: Policy & { agentId: string },
): Promise<Policy> {
  const { owner, actor } = ctx
  const agent = await requireAgent(ctx, { agentId, owner })
  return changePolicy(ctx, agent, (before) => {
    if (!mayMoveMoney(actor.user) && loosensPayments(before, after)) throw scopeRequired('money')
    return after
  })
}

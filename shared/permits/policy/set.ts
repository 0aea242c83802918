import { ownerOf } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { policyMark } from '#shared/agents/record/has-policy.ts'
import { notFound, scopeRequired } from '#shared/platform/errors.ts'
import { mayMoveMoney } from '#shared/platform/identity/actor.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { loosensPayments } from './loosens.ts'
import { defaultPolicy, type Policy } from './policy.ts'
import { policyRows } from './rows.ts'

/**
 * Replaces an agent's policy, for its next effect. What was remembered for a time ends.
 * @throws PlatformError 404, 403 SCOPE_REQUIRED for a key without `money` that loosens the policy for payments
 */
export async function setPolicy(
  ctx: UserContext,
  { agentId, preset, rules }: Policy & { agentId: string },
): Promise<Policy> {
  const { table, owner, actor } = ctx
  const agent = await requireAgent(ctx, { agentId, owner })
  const store = userStore(table, ownerOf(agent))
  const after = { preset, rules }
  const isDefault = preset === defaultPolicy.preset && rules.length === 0
  await changeItem(
    store.row(policyRows.sk({ agentId })),
    async (item) => {
      const row = item && policyRows.parse(item)
      const before = row === undefined ? defaultPolicy : { preset: row.preset, rules: row.rules }
      if (!mayMoveMoney(actor.user) && loosensPayments(before, after)) throw scopeRequired('money')
      if (row === undefined && isDefault) return undefined
      const revision = (row?.revision ?? 0) + 1
      const condition =
        row === undefined
          ? absent()
          : { if: '#revision = :revision', values: { revision: row.revision } }
      const also = {
        agent: policyMark(table, agent, !isDefault),
        audit: await audit(ctx, 'policy.changed', {
          userId: owner,
          target: agentId,
          before,
          after,
        }),
      }
      // The row stays with the default policy too, so that its revision never begins again.
      return {
        put: policyRows.attributes({ preset, rules, revision }),
        condition,
        also,
      }
    },
    { errors: { agent: () => notFound('Agent') } },
  )
  return after
}

import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import { agentMark } from '#shared/agents/record/mark.ts'
import { notFound } from '#shared/platform/errors.ts'
import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { defaultPolicy, isDefault, type Policy } from './policy.ts'
import { policyRows } from './rows.ts'

/**
 * Changes an agent's policy, for its next effect. Approvals that were remembered for a time end.
 * @param decide if it returns `before` itself, nothing changes
 * @throws the errors of `decide`, PlatformError 404 if the agent is deleted
 */
export async function changePolicy(
  ctx: AuditContext,
  agent: Pick<Agent, 'id' | 'userId'>,
  decide: (before: Policy) => Policy,
): Promise<Policy> {
  const { table } = ctx
  const { id: agentId } = agent
  const userId = ownerOf(agent)
  let after = defaultPolicy
  await changeItem(
    userStore(table, userId).row(policyRows.sk({ agentId })),
    async (item) => {
      const row = item && policyRows.parse(item)
      const before = row === undefined ? defaultPolicy : { preset: row.preset, rules: row.rules }
      after = decide(before)
      if (after === before || (row === undefined && isDefault(after))) return undefined
      const { preset, rules } = after
      // The row stays with the default policy too, so that its revision never begins again.
      const revision = (row?.revision ?? 0) + 1
      return {
        put: policyRows.attributes({ preset, rules, revision }),
        condition:
          row === undefined
            ? absent()
            : { if: '#revision = :revision', values: { revision: row.revision } },
        also: {
          agent: agentMark(table, agent, 'hasPolicy', !isDefault(after)),
          audit: await audit(ctx, 'policy.changed', { userId, target: agentId, before, after }),
        },
      }
    },
    { errors: { agent: () => notFound('Agent') } },
  )
  return after
}

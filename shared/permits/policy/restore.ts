import { isDeepStrictEqual } from 'node:util'
import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import type { AuditContext } from '#shared/platform/identity/audit.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { changePolicy } from './change.ts'
import { loosensPayments } from './loosens.ts'
import { isDefault, type Policy } from './policy.ts'
import { policyRows } from './rows.ts'

/**
 * Sets an agent's policy back to an earlier one. If the caller may not move money and the earlier policy is looser for
 * payments, the current one stays.
 */
export async function restorePolicy(
  ctx: AuditContext,
  { agent, policy, mayMoveMoney }: { agent: Agent; policy: Policy; mayMoveMoney: boolean },
): Promise<void> {
  await changePolicy(ctx, agent, (before) =>
    isDeepStrictEqual(before, policy) || (!mayMoveMoney && loosensPayments(before, policy))
      ? before
      : policy,
  )
}

/** Returns the attribute of a new agent with a policy, and the policy's row, for the transaction that creates both. */
export function initialPolicy(
  { userId, agentId }: { userId: string | null; agentId: string },
  policy: Policy | undefined,
): { mark: Pick<Agent, 'hasPolicy'>; write: Write | undefined } {
  if (policy === undefined || isDefault(policy)) return { mark: {}, write: undefined }
  const { preset, rules } = policy
  const key = { userId: ownerOf({ userId }), agentId }
  return {
    mark: { hasPolicy: true },
    write: { put: policyRows.put(key, { preset, rules, revision: 1 }) },
  }
}

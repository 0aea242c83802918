import { requireAgent } from '#shared/agents/record/find.ts'
import type { Policy } from '#shared/permits/policy/policy.ts'
import { setPolicy } from '#shared/permits/policy/set.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userContext } from '../platform/context.ts'

/** Sets the policy of an agent, as its owner. @returns the agent */
export async function setPolicyOf(
  table: Table,
  { userId, agentId }: { userId: string; agentId: string },
  policy: Policy,
) {
  const ctx = await userContext(table, userId)
  await setPolicy(ctx, { agentId, ...policy })
  return requireAgent(ctx, { agentId, owner: userId })
}

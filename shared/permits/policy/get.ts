import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { defaultPolicy, type Policy } from './policy.ts'
import { policyRows } from './rows.ts'

/** Returns an agent's policy. Reads nothing if it is the default. */
export async function getPolicy(
  { table }: { table: Table },
  agent: Pick<Agent, 'id' | 'userId' | 'hasPolicy'>,
): Promise<Policy> {
  if (agent.hasPolicy !== true) return defaultPolicy
  const row = await policyRows.find(table, { userId: ownerOf(agent), agentId: agent.id })
  return row === undefined ? defaultPolicy : { preset: row.preset, rules: row.rules }
}

import { type AgentRef, ownerOf } from '#shared/agents/record/agent.ts'
import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'

/**
 * Removes all rows of an agent except its own.
 * @param deadline epoch milliseconds
 * @returns true if all are removed, false if the time was not enough
 */
export async function removeAgentData(
  { table, onDeleted }: { table: Table; onDeleted: readonly DeletionHook[] },
  ref: AgentRef,
  deadline: number,
): Promise<boolean> {
  const store = userStore(table, ownerOf(ref))
  for (const remove of onDeleted)
    if (!(await remove({ table, store, agentId: ref.agentId, deadline }))) return false
  return true
}

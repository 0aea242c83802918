import type { DeletionHook } from '../../agents/deletion.ts'
import { type AgentRef, ownerOf } from '../../agents/agent.ts'
import type { Table } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'

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

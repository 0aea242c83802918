import { deleteTasksOf } from '../../scheduled-tasks/delete.ts'
import type { Table } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { freeInstalls } from '../../skills/installs.ts'
import { type AgentRef, ownerOf } from '../agent.ts'
import { credentialsKey } from '../credentials/row.ts'
import { noteKey, skillKey } from '../workspace/rows.ts'

/** The most that one transaction takes. */
const pageSize = 100

/** What an agent's own rows begin with in its owner's partition. What its owner used and paid for is the owner's. */
function prefixesOf(agentId: string): string[] {
  return [
    `message#${agentId}#`,
    noteKey(agentId),
    skillKey(agentId),
    credentialsKey(agentId),
    `agent-quota#${agentId}#`,
  ]
}

/**
 * Removes every row of an agent but the agent's own.
 * @param deadline epoch milliseconds
 * @returns whether nothing is left; otherwise the time was not enough
 */
export async function removeLeftovers(
  table: Table,
  ref: AgentRef,
  deadline: number,
): Promise<boolean> {
  const store = userStore(table, ownerOf(ref))
  await deleteTasksOf(table, ownerOf(ref), ref.agentId)
  await freeInstalls(table, ownerOf(ref), ref.agentId)
  for (const beginsWith of prefixesOf(ref.agentId)) {
    for (;;) {
      const page = await store.query({ beginsWith, limit: pageSize })
      if (page.items.length > 0)
        await table.transact(page.items.map(({ sk }) => store.write.delete(sk)))
      if (page.items.length === 0 && page.next === undefined) break
      if (Date.now() > deadline) return false
    }
  }
  return true
}

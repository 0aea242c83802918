import { findUser, isDeleted } from '#shared/accounts/users/user.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { findDeleted } from '#shared/agents/record/deleted.ts'
import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { newId } from '#shared/platform/ids.ts'
import type { WholeObjects } from '#shared/platform/objects/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { platformOwner } from '#shared/platform/table/user-store.ts'
import { expireSnapshots, makeTemporary } from './retention.ts'
import { snapshotRows } from './rows.ts'
import { storeSnapshot, seedOf } from './store-snapshot.ts'

/**
 * The first of the deletion hooks: creates the restore point of a deleted agent before its data are removed. If the
 * agent's row, which is removed last, does not exist, nothing is left to store. The restore points of a deleted account
 * are removed.
 */
export function snapshotBeforeDeletion(objects: WholeObjects): DeletionHook {
  return async ({ table, store, agentId }) => {
    const userId = store.userId === platformOwner ? null : store.userId
    const ref = { userId, agentId }
    const [agent, deleted] = await Promise.all([readAgent(table, ref), findDeleted(table, ref)])
    if (agent === undefined || deleted === undefined) return true
    const user = userId === null ? undefined : await findUser(table, userId)
    if (userId !== null && user !== undefined && isDeleted(user)) {
      await expireSnapshots({ table }, { userId, agentId })
      return true
    }
    await storeSnapshot({ table, objects }, { agent, id: deleted.snapshotId, kind: 'delete' })
    await makeTemporary(table, ref)
    return true
  }
}

/** Creates a restore point before an agent starts with an update or a new image: one per generation. */
export function snapshotBeforeUpdate(table: Table, objects: WholeObjects) {
  return async (agent: Agent): Promise<void> => {
    const words = `before ${agent.id} ${agent.generation}`
    const seed = await seedOf(words, Date.parse(agent.updatedAt))
    const id = newId(snapshotRows.id, seed)
    await storeSnapshot({ table, objects }, { agent, id, kind: 'update' })
  }
}

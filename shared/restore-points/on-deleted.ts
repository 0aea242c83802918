import type { Agent } from '../agents/agent.ts'
import { findDeleted } from '../agents/deleted.ts'
import type { DeletionHook } from '../agents/deletion.ts'
import { readAgent } from '../agents/find.ts'
import type { KeptObjects } from '../platform/objects/port.ts'
import type { Table } from '../platform/table/port.ts'
import { platformOwner } from '../platform/table/user-store.ts'
import { newId } from '../platform/ids.ts'
import { keepSnapshot, seedOf } from './keep.ts'
import { keepForNow } from './retention.ts'
import { snapshotRows } from './rows.ts'

/**
 * Makes the restore point of a deleted agent, before anything of it is removed: the first of the hooks. Once its row is
 * gone, which is the last to go, there is nothing left to keep.
 */
export function keepBeforeDeletion(objects: KeptObjects): DeletionHook {
  return async ({ table, store, agentId }) => {
    const userId = store.userId === platformOwner ? null : store.userId
    const ref = { userId, agentId }
    const [agent, deleted] = await Promise.all([readAgent(table, ref), findDeleted(table, ref)])
    if (agent === undefined || deleted === undefined) return true
    await keepSnapshot({ table, objects }, { agent, id: deleted.snapshotId, kind: 'delete' })
    await keepForNow(table, ref)
    return true
  }
}

/** Makes a restore point before an agent starts by an update or on an image that is new to it: one for each generation. */
export function keepBeforeUpdate(table: Table, objects: KeptObjects) {
  return async (agent: Agent): Promise<void> => {
    const words = `before ${agent.id} ${agent.generation}`
    const seed = await seedOf(words, Date.parse(agent.updatedAt))
    const id = newId(snapshotRows.id, seed)
    await keepSnapshot({ table, objects }, { agent, id, kind: 'update' })
  }
}

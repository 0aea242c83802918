import type * as z from 'zod'
import { allItems } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { holder } from '#shared/platform/work/fence.ts'
import { type AgentRef, ownerOf } from './agent.ts'
import { deletedAgentMs, deletedAgentRows } from './rows.ts'

export type DeletedAgent = z.output<ReturnType<typeof deletedAgentRows.declared.schema>>

/** The duration of the lock: longer than the timeout of a function that removes an agent's data. */
const holdMs = 40_000

/** The lease of the process that removes an agent's data. After it has expired, the redelivered message continues. */
const removal = holder('heldBy', 'heldUntil')

/** Lists a user's deleted agents that can be restored, last deleted first. */
export async function listDeleted(
  { table }: { table: Table },
  { userId }: { userId: string },
): Promise<DeletedAgent[]> {
  const store = userStore(table, userId)
  const beginsWith = deletedAgentRows.prefix()
  const rows = await allItems((from) => store.query({ beginsWith, consistent: true, ...from }))
  // DynamoDB can delete expired rows days late.
  const oldest = isoOf(Date.now() - deletedAgentMs)
  return rows
    .map(deletedAgentRows.parse)
    .filter(({ deletedAt }) => deletedAt > oldest)
    .sort((a, b) => (a.deletedAt < b.deletedAt ? 1 : -1))
}

/** Returns the record of a deleted agent. Undefined if it cannot be restored. */
export async function findDeleted(table: Table, ref: AgentRef): Promise<DeletedAgent | undefined> {
  const item = await table.get(keyOf(ref))
  return item && deletedAgentRows.parse(item)
}

/**
 * Locks the data of a deleted agent for its removal: one process at a time removes it, and none while the agent is
 * being restored.
 * @returns a function that releases the lock; `held` if another process has it, `revived` if the data must be kept
 */
export async function lockForRemoval(
  table: Table,
  ref: AgentRef,
  now = Date.now(),
): Promise<'held' | 'revived' | (() => Promise<void>)> {
  const claim = removal.claim({}, { now, until: now + holdMs })
  const only = `attribute_exists(pk) AND attribute_not_exists(#reviving) AND ${claim.if}`
  const locked = table.update(keyOf(ref), { ...claim, if: only }).then(deletedAgentRows.parse)
  if (await tryWrite(locked)) {
    const release = { ...removal.released, ...removal.still(await locked) }
    return async () => void (await tryWrite(table.update(keyOf(ref), release)))
  }
  const row = await findDeleted(table, ref)
  // Without the row no restore can use this agent's data, so its removal needs no lock.
  if (row === undefined) return async () => {}
  return row.reviving === undefined ? 'held' : 'revived'
}

/**
 * Locks the data of a deleted agent for a restore.
 * @returns false while it is being removed
 */
export async function lockForRestore(
  table: Table,
  ref: AgentRef,
  { restoreId, now = Date.now() }: { restoreId: string; now?: number },
): Promise<boolean> {
  return tryWrite(
    table.update(keyOf(ref), {
      set: { reviving: restoreId },
      if: 'attribute_exists(pk) AND (attribute_not_exists(#heldUntil) OR #heldUntil < :now)',
      values: { now },
    }),
  )
}

/** Releases the data of a deleted agent after a failed restore. */
export async function releaseRevival(
  table: Table,
  ref: AgentRef,
  { restoreId }: { restoreId: string },
): Promise<void> {
  const own = { if: '#reviving = :restoreId', values: { restoreId } }
  await tryWrite(table.update(keyOf(ref), { remove: ['reviving'], ...own }))
}

function keyOf({ userId, agentId }: AgentRef) {
  return deletedAgentRows.key({ userId: ownerOf({ userId }), agentId })
}

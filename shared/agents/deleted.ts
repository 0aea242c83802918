import type * as z from 'zod'
import { allItems } from '../platform/table/pages.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { written } from '../platform/table/written.ts'
import { type AgentRef, ownerOf } from './agent.ts'
import { deletedAgentMs, deletedAgentRows } from './rows.ts'

export type DeletedAgent = z.output<ReturnType<typeof deletedAgentRows.declared.schema>>

/** Longer than a function lives that removes an agent's data. */
const holdMs = 40_000

/** The agents of a user that can be brought back, the last deleted first. */
export async function listDeleted(
  { table }: { table: Table },
  { userId }: { userId: string },
): Promise<DeletedAgent[]> {
  const store = userStore(table, userId)
  const beginsWith = deletedAgentRows.prefix()
  const rows = await allItems((from) => store.query({ beginsWith, consistent: true, ...from }))
  // The table forgets them days late.
  const oldest = new Date(Date.now() - deletedAgentMs).toISOString()
  return rows
    .map(deletedAgentRows.parse)
    .filter(({ deletedAt }) => deletedAt > oldest)
    .sort((a, b) => (a.deletedAt < b.deletedAt ? 1 : -1))
}

/** What is kept of a deleted agent; undefined where it cannot be brought back. */
export async function findDeleted(table: Table, ref: AgentRef): Promise<DeletedAgent | undefined> {
  const item = await table.get(keyOf(ref))
  return item && deletedAgentRows.parse(item)
}

/**
 * Holds the data of a deleted agent for their removal: one process at a time removes them, and none while the agent is
 * brought back.
 * @returns what lets them go; `held` where another process has them, `revived` where they are to stay
 */
export async function holdData(
  table: Table,
  ref: AgentRef,
  { by, now = Date.now() }: { by: string; now?: number },
): Promise<'held' | 'revived' | (() => Promise<void>)> {
  const free = 'attribute_not_exists(#heldUntil) OR #heldUntil < :now'
  const taken = await written(
    table.update(keyOf(ref), {
      set: { heldUntil: now + holdMs, heldBy: by },
      if: `attribute_exists(pk) AND attribute_not_exists(#reviving) AND (${free})`,
      values: { now },
    }),
  )
  if (taken)
    return async () => {
      const own = { if: '#heldBy = :by', values: { by } }
      await written(table.update(keyOf(ref), { remove: ['heldUntil', 'heldBy'], ...own }))
    }
  const row = await findDeleted(table, ref)
  // The row is gone: no restore can take this agent's data any more, so its removal needs no hold.
  if (row === undefined) return async () => {}
  return row.reviving === undefined ? 'held' : 'revived'
}

/** Takes the data of a deleted agent for a restore. @returns false while they are being removed */
export async function takeForRevival(
  table: Table,
  ref: AgentRef,
  { restoreId, now = Date.now() }: { restoreId: string; now?: number },
): Promise<boolean> {
  return written(
    table.update(keyOf(ref), {
      set: { reviving: restoreId },
      if: 'attribute_exists(pk) AND (attribute_not_exists(#heldUntil) OR #heldUntil < :now)',
      values: { now },
    }),
  )
}

/** Lets the data of a deleted agent go that a restore has taken and does not bring back. */
export async function releaseRevival(
  table: Table,
  ref: AgentRef,
  { restoreId }: { restoreId: string },
): Promise<void> {
  const own = { if: '#reviving = :restoreId', values: { restoreId } }
  await written(table.update(keyOf(ref), { remove: ['reviving'], ...own }))
}

function keyOf({ userId, agentId }: AgentRef) {
  return deletedAgentRows.key({ userId: ownerOf({ userId }), agentId })
}

import { findDeleted } from '#shared/agents/record/deleted.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { type UserStore, userStore } from '#shared/platform/table/user-store.ts'
import { type Snapshot, snapshotRows } from './rows.ts'

/** A complete restore point. */
export type CompleteSnapshot = Snapshot & { bytes: number }

/** Returns every complete restore point of an agent, newest first. */
export async function completeSnapshots(
  store: UserStore,
  agentId: string,
): Promise<CompleteSnapshot[]> {
  const beginsWith = snapshotRows.prefix({ agentId })
  const rows = await allItems((from) => store.query({ beginsWith, consistent: true, ...from }))
  return rows
    .map(snapshotRows.parse)
    .filter((row): row is CompleteSnapshot => row.bytes !== undefined)
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
}

/**
 * Lists the restore points of a user's agent, also of a deleted one that can be restored.
 * @throws PlatformError 404
 */
export async function listSnapshots(
  { table, owner }: Pick<UserContext, 'table' | 'owner'>,
  { agentId }: { agentId: string },
): Promise<CompleteSnapshot[]> {
  const agent = await findAgent({ table }, { agentId, owner })
  if (agent === undefined && (await findDeleted(table, { userId: owner, agentId })) === undefined)
    throw notFound('Agent')
  return completeSnapshots(userStore(table, owner), agentId)
}

import { requireAgent } from '#shared/agents/record/find.ts'
import { limitReached } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { completeSnapshots } from './list.ts'
import { type Snapshot, snapshotRows } from './rows.ts'
import { type SnapshotContext, storeSnapshot } from './store-snapshot.ts'

/** The maximum number of manual restore points of an agent. */
export const snapshotLimit = 30

/**
 * Creates a restore point of a user's agent, which is stored as long as the agent exists. The same seed creates the
 * same one.
 * @throws PlatformError 404, 409 SNAPSHOT_LIMIT_REACHED with current and limit
 */
export async function createSnapshot(
  ctx: Pick<UserContext, 'owner' | 'table' | 'seed'> & SnapshotContext,
  { agentId, name }: { agentId: string; name?: string | null | undefined },
): Promise<Snapshot> {
  const { owner } = ctx
  const agent = await requireAgent(ctx, { agentId, owner })
  const id = newId(snapshotRows.id, ctx.seed)
  const all = await completeSnapshots(userStore(ctx.table, owner), agentId)
  const current = all.filter((one) => one.kind === 'manual' && one.id !== id).length
  if (current >= snapshotLimit)
    throw limitReached(
      'SNAPSHOT_LIMIT_REACHED',
      `The agent has ${snapshotLimit} restore points already`,
      { current, limit: snapshotLimit },
    )
  return storeSnapshot(ctx, { agent, id, kind: 'manual', name })
}

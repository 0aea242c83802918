import type { AgentRef } from '#shared/agents/record/agent.ts'
import { ownerOf } from '#shared/agents/record/agent.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { completeSnapshots } from './list.ts'
import { snapshotRows, snapshotsDue } from './rows.ts'
import { automaticLifetimeMs } from './store-snapshot.ts'

/** Makes a deleted agent's manual restore points expire together with the deletion's restore point. */
export async function makeTemporary(table: Table, ref: AgentRef, now = Date.now()): Promise<void> {
  const store = userStore(table, ownerOf(ref))
  for (const { id, kind } of await completeSnapshots(store, ref.agentId)) {
    if (kind !== 'manual') continue
    const sk = snapshotRows.sk({ agentId: ref.agentId, snapshotId: id })
    await tryWrite(
      store.update(sk, {
        set: snapshotsDue.at(id, now + automaticLifetimeMs),
        if: 'attribute_exists(pk) AND attribute_not_exists(gsi1pk)',
      }),
    )
  }
}

/** Makes the manual restore points of a restored agent permanent again. */
export async function makePermanent(table: Table, ref: AgentRef): Promise<void> {
  const store = userStore(table, ownerOf(ref))
  for (const { id, kind } of await completeSnapshots(store, ref.agentId)) {
    if (kind !== 'manual') continue
    const sk = snapshotRows.sk({ agentId: ref.agentId, snapshotId: id })
    const update = { remove: ['gsi1pk', 'gsi1sk'], if: 'attribute_exists(pk)' }
    await tryWrite(store.update(sk, update))
  }
}

/** Lets all restore points of a deleted account, or of one of its agents, be removed by the next tick. */
export async function expireSnapshots(
  { table }: { table: Table },
  { userId, agentId }: { userId: string; agentId?: string },
  now = Date.now(),
): Promise<void> {
  const store = userStore(table, userId)
  const beginsWith = snapshotRows.prefix(agentId === undefined ? {} : { agentId })
  const items = await allItems((from) => store.query({ beginsWith, consistent: true, ...from }))
  for (const { id, agentId: of } of items.map(snapshotRows.parse))
    await tryWrite(
      store.update(snapshotRows.sk({ agentId: of, snapshotId: id }), {
        set: snapshotsDue.at(id, now),
        if: 'attribute_exists(pk)',
      }),
    )
}

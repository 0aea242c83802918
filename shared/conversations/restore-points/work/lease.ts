import { holder } from '#shared/platform/work/fence.ts'
import { workItems } from '#shared/platform/work/items.ts'
import { type Restore, restoreRows, restoresDue } from '../rows.ts'
import { restorePoints, type RestoreMessage } from '../topic.ts'
import type { RestoreWorkContext } from './context.ts'

type Held = Pick<Restore, 'id' | 'userId' | 'agentId' | 'heldBy'>

/** The tick treats a message as lost this many milliseconds after it was sent. */
export const lostMs = 60_000

/** The unfinished restores. A finished restore has no row. */
export const restoreItems = workItems({
  rows: restoreRows,
  key: ({ userId, agentId }: Held) => restoreRows.key({ userId, agentId }),
  id: ({ agentId }) => agentId,
  due: restoresDue,
  fence: holder('heldBy', 'heldUntil'),
  topic: restorePoints,
  message: requestOf,
  // Longer than the time between two renewals.
  leaseMs: 120_000,
  lostMs,
  // A minute, the interval of the tick, less its jitter.
  resendMs: 50_000,
})

/** Returns the message that requests a restore. */
export function requestOf({ userId, agentId, id }: Omit<Held, 'heldBy'>): RestoreMessage {
  return { kind: 'restore', userId, agentId, restoreId: id }
}

/**
 * Claims a restore.
 * @returns undefined if it has ended, or another process holds it
 */
export async function claimRestore(
  { table }: Pick<RestoreWorkContext, 'table'>,
  message: RestoreMessage,
): Promise<Restore | undefined> {
  const item = await table.get(restoreRows.key(message))
  if (item === undefined) return undefined
  // The agent may have a newer restore.
  const only = { if: '#id = :id', values: { id: message.restoreId } }
  return restoreItems.claim({ table }, restoreRows.parse(item), { message, only })
}

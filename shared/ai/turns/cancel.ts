import type { Write } from '#shared/platform/table/port.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { turnCancelRows } from './rows.ts'
import { expiryIn, nameOf } from './turn.ts'

const retentionDays = 7

/** Returns the write that cancels a turn. A turn that has not started yet finds it when it starts. */
export function cancelWrite(store: UserStore, id: string, reason: string | null): Write {
  const attributes = turnCancelRows.attributes({ reason }, { expiresAt: expiryIn(retentionDays) })
  return store.write.put(turnCancelRows.sk({ name: nameOf(id) }), attributes)
}

/** Returns the cancelled turns among a user's turns. */
export async function cancelledAmong(
  store: UserStore,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await Promise.all(
    ids.map((id) => store.get(turnCancelRows.sk({ name: nameOf(id) }))),
  )
  return new Set(ids.filter((_, i) => rows[i] !== undefined))
}

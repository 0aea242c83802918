import type { Write } from '../platform/table/port.ts'
import type { UserStore } from '../platform/table/user-store.ts'
import { turnCancelRows } from './rows.ts'
import { expiryIn, nameOf } from './turn.ts'

const keptDays = 7

/** That a turn is to end; also one that has not begun yet, whose process finds it once it does. */
export function cancelWrite(store: UserStore, id: string, reason: string | null): Write {
  const attributes = turnCancelRows.attributes({ reason }, { expiresAt: expiryIn(keptDays) })
  return store.write.put(turnCancelRows.sk({ name: nameOf(id) }), attributes)
}

/** Which of a user's turns are told to end. */
export async function cancelledAmong(
  store: UserStore,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await Promise.all(
    ids.map((id) => store.get(turnCancelRows.sk({ name: nameOf(id) }))),
  )
  return new Set(ids.filter((_, i) => rows[i] !== undefined))
}

import type { Write } from '#shared/platform/table/port.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { runPlaceRows } from '../rows.ts'

/** The maximum number of concurrent runs of one user, so that one user's tasks do not delay other users' tasks. */
export const placesPerUser = 10

/** Reports whether a slot is free. This read avoids most of the rejected transactions. */
export async function hasPlace(store: UserStore): Promise<boolean> {
  const row = await store.get(runPlaceRows.sk({}))
  return row === undefined || runPlaceRows.parse(row).count < placesPerUser
}

/** Returns the write that claims a slot. It is rejected while all of the user's slots are in use. */
export function claimPlaceWrite(userId: string): Write {
  return {
    update: runPlaceRows.key({ userId }),
    add: { count: 1 },
    if: 'attribute_not_exists(#count) OR #count < :places',
    values: { places: placesPerUser },
  }
}

/** Returns the write that releases a slot. */
export function releasePlaceWrite(userId: string): Write {
  return { update: runPlaceRows.key({ userId }), add: { count: -1 } }
}

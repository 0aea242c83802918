import type { Write } from '../../platform/table/port.ts'
import type { UserStore } from '../../platform/table/user-store.ts'
import { runPlaceRows } from '../rows.ts'

/** Runs of one user that may be under way at once: what one user's tasks take, others' do not wait for. */
export const placesPerUser = 10

/** Whether a place is free: a look that spares the row most of the transactions that would be refused. */
export async function hasPlace(store: UserStore): Promise<boolean> {
  const row = await store.get(runPlaceRows.sk({}))
  return row === undefined || runPlaceRows.parse(row).count < placesPerUser
}

/** Refused while all of the user's places are taken. */
export function placeTaken(userId: string): Write {
  return {
    update: runPlaceRows.key({ userId }),
    add: { count: 1 },
    if: 'attribute_not_exists(#count) OR #count < :places',
    values: { places: placesPerUser },
  }
}

export function placeFreed(userId: string): Write {
  return { update: runPlaceRows.key({ userId }), add: { count: -1 } }
}

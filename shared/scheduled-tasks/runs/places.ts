import type { Write } from '../../platform/table/port.ts'
import { userPartition } from '../../platform/table/user-store.ts'

/** Runs of one user that may be under way at once: what one user's tasks take, others' do not wait for. */
export const placesPerUser = 10

const key = (userId: string) => ({ pk: userPartition(userId), sk: 'runs-under-way' })

/** Refused while all of the user's places are taken. */
export function placeTaken(userId: string): Write {
  return {
    update: key(userId),
    add: { count: 1 },
    if: 'attribute_not_exists(#count) OR #count < :places',
    values: { places: placesPerUser },
  }
}

export function placeFreed(userId: string): Write {
  return { update: key(userId), add: { count: -1 } }
}

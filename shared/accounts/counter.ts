import { PlatformError } from '../platform/errors.ts'
import type { Counter } from '../platform/table/insert-counted.ts'
import type { User } from './user.ts'
import { userRows } from './rows.ts'

type Count = Extract<keyof User, `${string}Count`>

/** Counts rows of a user's in their account, as long as it is there. @param limit how many they may have */
export function userCounter(userId: string, attribute: Count, limit: number): Counter {
  return {
    in: userRows.key({ userId }),
    attribute,
    limit,
    if: 'attribute_exists(pk)',
    gone: () => new PlatformError('unauthorized', 'Unauthorized'),
  }
}

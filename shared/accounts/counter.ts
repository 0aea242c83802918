import { PlatformError } from '../platform/errors.ts'
import type { Counter } from '../platform/table/insert-counted.ts'
import { userRows } from './rows.ts'

/**
 * Counts rows of a user's in their account, as long as it is there. The account's own form names no such count: the
 * entity that is counted declares it.
 * @param limit how many they may have
 */
export function userCounter(
  userId: string,
  { count }: { readonly count: string },
  limit: number,
): Counter {
  return {
    in: userRows.key({ userId }),
    attribute: count,
    limit,
    if: 'attribute_exists(pk)',
    gone: () => new PlatformError('unauthorized', 'Unauthorized'),
  }
}

import { PlatformError } from '#shared/platform/errors.ts'
import type { CountOf } from '#shared/platform/table/delete-counted.ts'
import type { Counter } from '#shared/platform/table/insert-counted.ts'
import { userRows } from './rows.ts'

/**
 * Returns the count of a user's rows of one kind in the user's row. The counted entity declares the attribute of the
 * count, not the schema of the user.
 */
export function userCount(userId: string, { count }: { readonly count: string }): CountOf {
  return { in: userRows.key({ userId }), attribute: count }
}

/**
 * Counts a user's rows of one kind in the user's row, while the account exists.
 * @param limit the maximum number of rows of that kind
 */
export function userCounter(
  userId: string,
  rows: { readonly count: string },
  limit: number,
): Counter {
  return {
    ...userCount(userId, rows),
    limit,
    if: 'attribute_exists(pk)',
    gone: () => new PlatformError('unauthorized', 'Unauthorized'),
  }
}

import { PlatformError } from '#shared/platform/errors.ts'
import type { Counter } from '#shared/platform/table/insert-counted.ts'
import { userRows } from './rows.ts'

/**
 * Counts a user's rows of one kind in the user's row, while the account exists. The counted entity declares the
 * attribute of the count, not the schema of the user.
 * @param limit the maximum number of rows of that kind
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

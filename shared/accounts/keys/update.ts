import { notFound, scopeRequired } from '#shared/platform/errors.ts'
import { mayMoveMoney } from '#shared/platform/identity/actor.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type ApiKey, keyRowKey, toApiKey } from '../users/api-key.ts'
import { changedLimits, raisesSpending } from '../users/key-limits.ts'
import { getKey } from './get.ts'
import type { KeyChange } from './schema.ts'

/**
 * Changes the name and the limits of one of the caller's keys. They apply to the key's next request.
 * @throws PlatformError 404 for a key of another user, 403 SCOPE_REQUIRED if a key without the scope `money` raises or
 * removes a spend limit
 */
export async function updateKey(
  ctx: Pick<UserContext, 'actor' | 'table' | 'requestId'>,
  { id, name, limits }: KeyChange & { id: string },
): Promise<ApiKey> {
  const { user } = ctx.actor
  let key = await getKey(ctx, { id })
  await changeItem(userStore(ctx.table, user.id).row(keyRowKey(key.digest)), async (row) => {
    if (row === undefined) throw notFound('API key')
    const before = toApiKey(row)
    const { revision } = before
    key = {
      ...before,
      name: name ?? before.name,
      limits: limits === undefined ? before.limits : changedLimits(before.limits, limits),
      revision: revision + 1,
    }
    if (!mayMoveMoney(user) && raisesSpending(before.limits, key.limits))
      throw scopeRequired('money')
    return {
      update: {
        set: {
          name: key.name,
          revision: key.revision,
          ...(key.limits !== null && { limits: key.limits }),
        },
        remove: key.limits === null ? ['limits'] : [],
        if:
          revision === 0
            ? 'attribute_exists(pk) AND attribute_not_exists(#revision)'
            : '#revision = :revision',
        values: revision === 0 ? {} : { revision },
      },
      also: {
        audit: await audit(ctx, 'key.changed', {
          userId: user.id,
          target: id,
          before: { name: before.name, limits: before.limits },
          after: { name: key.name, limits: key.limits },
        }),
      },
    }
  })
  return key
}

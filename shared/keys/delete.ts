import { type ApiKey, keyRowKey } from '../accounts/api-key.ts'
import { profileKey } from '../accounts/user.ts'
import { audit } from '../identity/audit.ts'
import type { UserContext } from '../identity/context.ts'
import { type TellContext, webhookParts } from '../outbound-webhooks/emit.ts'
import { notFound, scopeRequired } from '../platform/errors.ts'
import { commit } from '../platform/table/commit.ts'
import { userStore } from '../platform/table/user-store.ts'
import { getKey } from './get.ts'

type KeyContext = Pick<UserContext, 'table' | 'actor' | 'requestId'> & TellContext

/**
 * Deletes a key of the caller's; from then on it opens nothing. A key without the scope `admin` deletes none but itself.
 * @throws PlatformError 404 for a key that is not this user's, 403 SCOPE_REQUIRED for another key
 */
export async function deleteKey(ctx: KeyContext, { id }: { id: string }): Promise<void> {
  const { keyId, scopes = ['admin'] } = ctx.actor.user
  // Before anything is looked up: the answer does not say which keys there are.
  if (!scopes.includes('admin') && id !== keyId) throw scopeRequired('admin')
  await remove(ctx, await getKey(ctx, { id }))
}

async function remove(ctx: KeyContext, key: ApiKey): Promise<void> {
  const { id: userId } = ctx.actor.user
  const { id, name, createdAt, scopes, expiresAt, digest, epoch } = key
  const { write } = userStore(ctx.table, userId)
  const gone = () => notFound('API key')
  await commit(
    ctx.table,
    {
      key: write.delete(keyRowKey(digest), { if: 'attribute_exists(pk)' }),
      count: write.update(profileKey, {
        add: { keyCount: -1 },
        // Keys that were all ended meanwhile are counted no more.
        ...(epoch === 0
          ? { if: 'attribute_exists(pk) AND attribute_not_exists(#keyEpoch)' }
          : { if: '#keyEpoch = :epoch', values: { epoch } }),
      }),
      audit: await audit(ctx, 'key.deleted', {
        userId,
        target: id,
        before: { id, name, createdAt, scopes, expiresAt },
      }),
      ...(await webhookParts(ctx, userId, [{ type: 'key.deleted', data: { id, name } }])),
    },
    { key: gone, count: gone },
  )
}

import { notFound, scopeRequired } from '#shared/platform/errors.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type WebhookEventContext, webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import { type ApiKey, keyRowKey } from '../users/api-key.ts'
import { profileKey } from '../users/user.ts'
import { getKey } from './get.ts'

/**
 * Deletes a key of the caller; it is invalid from then on. A key without the scope `admin` can delete only itself.
 * @throws PlatformError 404 for a key of another user, 403 SCOPE_REQUIRED for another key
 */
export async function deleteKey(
  ctx: Pick<UserContext, 'actor' | 'table' | 'requestId'> & WebhookEventContext,
  { id }: { id: string },
): Promise<void> {
  const { keyId, scopes = ['admin'] } = ctx.actor.user
  // Before any read, so that the response does not reveal which keys exist.
  if (!scopes.includes('admin') && id !== keyId) throw scopeRequired('admin')
  await remove(ctx, await getKey(ctx, { id }))
}

async function remove(
  ctx: Pick<UserContext, 'actor' | 'table' | 'requestId'> & WebhookEventContext,
  key: ApiKey,
): Promise<void> {
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
        // If all keys were revoked in the meantime, this key is no longer counted.
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

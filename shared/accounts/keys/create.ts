import { sha256Hex } from '#shared/platform/crypto.ts'
import {
  limitReached,
  PlatformError,
  scopeRequired,
  sessionRequired,
} from '#shared/platform/errors.ts'
import {
  type KeyLimits,
  type KeyScope,
  mayMoveMoney,
  sessionScopes,
  type UserIdentity,
} from '#shared/platform/identity/actor.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { ifPresent } from '#shared/platform/table/if-present.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { type UserStore, userStore } from '#shared/platform/table/user-store.ts'
import { type WebhookEventContext, webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import { defaultScopes, keyLimit } from '../users/api-key.ts'
import { changedLimits, limitsSpending } from '../users/key-limits.ts'
import { keyRows } from '../users/rows.ts'
import { storedScopes } from '../users/stored-scopes.ts'
import { profileKey } from '../users/user.ts'
import { credentialRow } from './credential.ts'
import type { KeyHashes } from './hashes.ts'
import type { NewKey } from './schema.ts'
import { newSecret, previewOf } from './secret.ts'

export interface CreatedKey {
  id: string
  name: string
  /** The raw key; only this response contains it. */
  key: string
  createdAt: string
  scopes: KeyScope[]
  /** ISO 8601; null if the key does not expire. */
  expiresAt: string | null
  /** Null without limits. */
  limits: KeyLimits | null
}

/**
 * Creates a key of the caller and returns the raw key, which is not stored. The key is stored only while the caller's
 * session or key is still valid, so that no request creates a key after all of a user's credentials were revoked.
 * @throws PlatformError 403 SESSION_REQUIRED if an API key requests the scope `money` or `admin`, 403 SCOPE_REQUIRED if a
 * key with spend limits does not have the scope `money`, 401 if the credential ended in the meantime,
 * 409 KEY_LIMIT_REACHED
 */
export async function createKey(
  ctx: Pick<UserContext, 'actor' | 'table' | 'requestId'> &
    WebhookEventContext & { hashes: Pick<KeyHashes, 'hash'> },
  { name, scopes = defaultScopes, expiresAt = null, limits: requested = null }: NewKey,
): Promise<CreatedKey> {
  const { user } = ctx.actor
  const sessionScope = sessionScopes.find((scope) => scopes.includes(scope))
  if (sessionScope !== undefined && user.sessionHash === undefined)
    throw sessionRequired(`Only a session can create a key with the scope ${sessionScope}`)
  const limits = changedLimits(null, requested)
  // Several keys together spend more than one, even if each has the same limits.
  if (!mayMoveMoney(user) && limitsSpending(user.keyLimits)) throw scopeRequired('money')
  const secret = newSecret(user.id)
  const key = { id: newId(keyRows.id), name, createdAt: new Date().toISOString() }
  const row = {
    ...key,
    keyPreview: previewOf(secret),
    hash: await ctx.hashes.hash(secret),
    ...storedScopes(scopes),
    ...(expiresAt !== null && { validUntil: expiresAt }),
    ...(limits !== null && { limits }),
    epoch: user.keyEpoch ?? 0,
  }
  const put = keyRows.put({ userId: user.id, digest: await sha256Hex(secret) }, row)
  const created = { ...key, scopes, expiresAt, limits }
  const { write } = userStore(ctx.table, user.id)
  await commit(
    ctx.table,
    {
      credential: write.check(credentialRow(user), ifPresent()),
      count: countUp(write, user),
      key: { put, if: 'attribute_not_exists(pk)' },
      audit: await audit(ctx, 'key.created', { userId: user.id, target: key.id, after: created }),
      ...(await webhookParts(ctx, user.id, [{ type: 'key.created', data: created }])),
    },
    {
      credential: ended,
      count: (counted) => (counted?.accessEpoch === user.accessEpoch ? keyLimitReached() : ended()),
    },
  )
  return { ...created, key: secret }
}

function countUp(write: UserStore['write'], { accessEpoch }: UserIdentity): Write {
  return write.update(profileKey, {
    add: { keyCount: 1 },
    if: '#accessEpoch = :accessEpoch AND (attribute_not_exists(#keyCount) OR #keyCount < :limit)',
    values: { accessEpoch, limit: keyLimit },
  })
}

function ended(): PlatformError {
  return new PlatformError('unauthorized', 'Unauthorized')
}

const keyLimitReached = () =>
  limitReached(
    'KEY_LIMIT_REACHED',
    `You have ${keyLimit} API keys already; delete one to create another`,
    { limit: keyLimit },
  )

import { hash } from 'bcryptjs'
import { profileKey } from '../accounts/user.ts'
import { withoutConflicts } from '../platform/table/conflict.ts'
import type { UserIdentity } from '../http/actor.ts'
import { sha256Hex } from '../platform/crypto.ts'
import { PlatformError } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { type Table, TransactionFailed, type Write } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { credentialRow } from './credential.ts'
import { keyLimit, keyRowKey } from './key.ts'
import { newSecret, previewOf } from './secret.ts'

/** contract.md 3. A raw key has 67 bytes, all of which bcrypt takes. */
const cost = 10

export interface CreatedKey {
  id: string
  name: string
  /** The raw key, which nothing else ever holds. */
  key: string
  createdAt: string
}

/**
 * Makes a key and answers it raw, this once. It is stored only while the session or key that asks for it still holds,
 * so that ending all of a user's leaves no request behind that makes another.
 * @throws PlatformError 401 where the credential ended meanwhile, 409 KEY_LIMIT_REACHED
 */
export async function createKey(
  table: Table,
  user: UserIdentity,
  name: string,
): Promise<CreatedKey> {
  const secret = newSecret(user.id)
  const key = { id: newId('key'), name, createdAt: new Date().toISOString() }
  const stored = { ...key, keyPreview: previewOf(secret), hash: await hash(secret, cost) }
  const { write } = userStore(table, user.id)
  const put = write.put(keyRowKey(await sha256Hex(secret)), stored, {
    if: 'attribute_not_exists(pk)',
  })
  await commit(table, user, put)
  return { ...key, key: secret }
}

async function commit(table: Table, user: UserIdentity, put: Write): Promise<void> {
  const { accessEpoch } = user
  const { write } = userStore(table, user.id)
  const writes = [
    put,
    write.check(credentialRow(user), { if: 'attribute_exists(pk)' }),
    write.update(profileKey, {
      add: { keyCount: 1 },
      if: '#accessEpoch = :accessEpoch AND (attribute_not_exists(#keyCount) OR #keyCount < :limit)',
      values: { accessEpoch, limit: keyLimit },
    }),
  ]
  try {
    await withoutConflicts(() => table.transact(writes))
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error
    if (error.refused(1)) throw ended()
    if (!error.refused(2)) throw error
    throw error.reasons[2]?.item?.accessEpoch === accessEpoch ? limitReached() : ended()
  }
}

function ended(): PlatformError {
  return new PlatformError('unauthorized', 'Unauthorized')
}

function limitReached(): PlatformError {
  return new PlatformError(
    'conflict',
    `You have ${keyLimit} API keys already; delete one to make another`,
    { code: 'KEY_LIMIT_REACHED', details: { current: keyLimit, limit: keyLimit } },
  )
}

import { findUser, profileKey, toUser, type User } from '../accounts/user.ts'
import { ownKeyPlace } from '../ai/providers/own-keys.ts'
import type { UserIdentity } from '../http/actor.ts'
import { notConfigured, notFound, PlatformError } from '../platform/errors.ts'
import { sealer } from '../platform/seal.ts'
import { withoutConflicts } from '../platform/table/conflict.ts'
import { ConditionFailed, type Table, type Update } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import type { BillingServices } from './context.ts'

type OwnKeys = NonNullable<User['byok']>

/** Whether a user brought a provider key of their own. */
export function hasOwnKeys({ byok = {} }: Pick<User, 'byok'>): boolean {
  return Object.keys(byok).length > 0
}

/**
 * Seals a user's own key of a provider and keeps it in place of an earlier one; from then on it serves their calls.
 * @throws PlatformError 400 for a provider that takes none, 503 without a key to seal by, and as `change` does
 */
export async function addOwnKey(
  { table, encryptionKey, byokProviders }: BillingServices,
  caller: UserIdentity,
  { provider, apiKey }: { provider: string; apiKey: string },
): Promise<boolean> {
  if (!byokProviders.includes(provider))
    throw new PlatformError('bad-request', `provider must be one of ${byokProviders.join(', ')}`)
  if (encryptionKey === undefined)
    throw notConfigured('Bringing your own key', ['WALLET_ENCRYPTION_KEY'])
  const sealed = await sealer(encryptionKey).seal(apiKey, ownKeyPlace(caller.id, provider))
  return change(table, caller, (keys) => ({ ...keys, [provider]: sealed }))
}

/** Removes a user's own key of a provider, or all of them; one that is not there is as good as removed. */
export function removeOwnKeys(
  table: Table,
  caller: UserIdentity,
  provider: string | undefined,
): Promise<boolean> {
  return change(table, caller, (keys) =>
    Object.fromEntries(
      Object.entries(keys).filter(([name]) => provider !== undefined && name !== provider),
    ),
  )
}

/**
 * Changes a user's keys as long as what let the caller in holds, and nobody else changed them in between.
 * @returns whether any is left
 * @throws PlatformError 404 for a user who is gone, 401 for one whose sessions were ended meanwhile
 */
async function change(
  table: Table,
  { id, accessEpoch }: UserIdentity,
  next: (keys: OwnKeys) => OwnKeys,
): Promise<boolean> {
  const store = userStore(table, id)
  let user = await findUser(table, id)
  for (;;) {
    if (user === undefined) throw notFound('User')
    if (user.accessEpoch !== accessEpoch) throw new PlatformError('unauthorized', 'Unauthorized')
    const update = replacing(user, next(user.byok ?? {}))
    try {
      return hasOwnKeys(toUser(await withoutConflicts(() => store.update(profileKey, update))))
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error
      user = error.item && toUser(error.item)
    }
  }
}

function replacing({ accessEpoch, byok: before }: User, byok: OwnKeys): Update {
  const unchanged = before === undefined ? 'attribute_not_exists(#byok)' : '#byok = :before'
  return {
    ...(hasOwnKeys({ byok }) ? { set: { byok } } : { remove: ['byok'] }),
    if: `#accessEpoch = :accessEpoch AND ${unchanged}`,
    values: { accessEpoch, ...(before !== undefined && { before }) },
  }
}

import { isDeepStrictEqual } from 'node:util'
import { profileKey, toUser, type User } from '#shared/accounts/users/user.ts'
import { ownKeyPlace } from '#shared/ai/gateway/providers/own-keys.ts'
import { notConfigured, notFound, PlatformError } from '#shared/platform/errors.ts'
import { audit, type AuditAction } from '#shared/platform/identity/audit.ts'
import { sealer } from '#shared/platform/seal.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import type { Condition, Update } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { BillingContext } from './context.ts'

type OwnKeys = NonNullable<User['byok']>

/** Reports whether a user has an own provider key. */
export function hasOwnKeys({ byok = {} }: Pick<User, 'byok'>): boolean {
  return Object.keys(byok).length > 0
}

/**
 * Stores the caller's own key of a provider, encrypted, and replaces an earlier one. From then on it serves their
 * calls.
 * @throws PlatformError 400 for an unsupported provider, 503 without an encryption key, and as `change`
 */
export async function addOwnKey(
  ctx: BillingContext,
  { provider, apiKey }: { provider: string; apiKey: string },
): Promise<boolean> {
  const { owner, encryptionKey, byokProviders } = ctx
  if (!byokProviders.includes(provider))
    throw new PlatformError('bad-request', `provider must be one of ${byokProviders.join(', ')}`)
  if (encryptionKey === undefined)
    throw notConfigured('Using your own key', ['WALLET_ENCRYPTION_KEY'])
  const sealed = await sealer(encryptionKey).seal(apiKey, ownKeyPlace(owner, provider))
  return change(ctx, {
    action: 'byok.enabled',
    target: provider,
    next: (keys) => ({ ...keys, [provider]: sealed }),
  })
}

/** Removes the caller's own key of a provider, or all of them. Also succeeds if the key does not exist. */
export function removeOwnKeys(
  ctx: BillingContext,
  { provider }: { provider?: string | undefined },
): Promise<boolean> {
  return change(ctx, {
    action: 'byok.disabled',
    target: provider ?? 'all',
    next: (keys) =>
      Object.fromEntries(
        Object.entries(keys).filter(([name]) => provider !== undefined && name !== provider),
      ),
  })
}

interface KeysChange {
  action: AuditAction
  target: string
  next(keys: OwnKeys): OwnKeys
}

/**
 * Changes the caller's keys while their session or key is still valid.
 * @returns whether any own key remains
 * @throws PlatformError 404 if the user is deleted, 401 if their sessions were ended in the meantime
 */
async function change(ctx: BillingContext, { action, target, next }: KeysChange): Promise<boolean> {
  const { owner } = ctx
  const { accessEpoch } = ctx.actor.user
  let byok: OwnKeys = {}
  await changeItem(userStore(ctx.table, owner).row(profileKey), async (row) => {
    if (row === undefined) throw notFound('User')
    const user = toUser(row)
    if (user.accessEpoch !== accessEpoch) throw new PlatformError('unauthorized', 'Unauthorized')
    const before = user.byok ?? {}
    byok = next(before)
    if (isDeepStrictEqual(byok, before)) return undefined
    return {
      update: replacing(user, byok),
      also: {
        audit: await audit(ctx, action, {
          userId: owner,
          target,
          before: { providers: Object.keys(before).toSorted() },
          after: { providers: Object.keys(byok).toSorted() },
        }),
      },
    }
  })
  return hasOwnKeys({ byok })
}

function replacing(
  { accessEpoch, byok: before }: User,
  byok: OwnKeys,
): Update & Required<Condition> {
  const unchanged = before === undefined ? 'attribute_not_exists(#byok)' : '#byok = :before'
  return {
    ...(hasOwnKeys({ byok }) ? { set: { byok } } : { remove: ['byok'] }),
    if: `#accessEpoch = :accessEpoch AND ${unchanged}`,
    values: { accessEpoch, ...(before !== undefined && { before }) },
  }
}

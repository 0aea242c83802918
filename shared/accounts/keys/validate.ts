import type * as z from 'zod'
import { findPlan } from '#shared/money/plans/plans.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { UserIdentity } from '#shared/platform/identity/actor.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { toIdentity } from '../users/user.ts'
import { featuresOf } from './features.ts'
import { findKey } from './find.ts'
import type { KeyHashes } from './hashes.ts'
import type { keyHolder, keyHolderAccount } from './schema.ts'
import { recordKeyUse } from './use.ts'

/**
 * Returns the holder of a key. An unknown key costs no bcrypt hash: the response reveals anyway that the key is
 * unknown, and one hash for each guess would let anyone exhaust the CPU.
 * @throws PlatformError 401 for an invalid, unknown or deleted key
 */
export async function validateKey(
  {
    table,
    hashes,
    adminEmails,
  }: Pick<Context, 'table'> & Can<'adminEmails'> & { hashes: KeyHashes },
  { apiKey: secret }: { apiKey: string },
): Promise<z.input<ReturnType<typeof keyHolderAccount>>> {
  const found = await findKey(table, secret)
  if (found === undefined || !(await hashes.matches(secret, found.key)))
    throw new PlatformError('unauthorized', 'Invalid API key')
  recordKeyUse(table, found)
  const user = toIdentity(found.user, adminEmails)
  return { ...holderOf(user), email: user.email, subscriptionStatus: user.subscription.status }
}

/** Returns the public fields of a key's user. */
export function holderOf(user: UserIdentity): z.input<ReturnType<typeof keyHolder>> {
  const plan = user.isAdmin ? 'network' : (findPlan(user.plan)?.name ?? 'free')
  return { valid: true, userId: user.id, plan, features: featuresOf(user) }
}

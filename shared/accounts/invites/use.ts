import { sha256Hex } from '#shared/platform/crypto.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { ConditionFailed } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { inviteRows } from './rows.ts'

/** The retention of a used code in seconds, so that the request that used it can be found. */
const retentionSeconds = 30 * 86_400

/**
 * Uses up an invite code in one conditional write: of concurrent callers one succeeds.
 * @param now epoch milliseconds
 * @throws PlatformError 400 with `valid: false` for an invalid or used code
 */
export async function useInvite(
  { table, seed }: Pick<Context, 'table' | 'seed'>,
  { code }: { code: string },
  now = Date.now(),
): Promise<void> {
  try {
    await table.update(inviteRows.key({ codeHash: await sha256Hex(code) }), {
      set: { usedBy: seed, expiresAt: epochSeconds(now) + retentionSeconds },
      if: 'attribute_exists(pk) AND (attribute_not_exists(#usedBy) OR #usedBy = :seed)',
      values: { seed },
    })
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    throw new PlatformError('bad-request', 'The invite code is not valid, or was used', {
      details: { valid: false },
    })
  }
}

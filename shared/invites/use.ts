import { sha256Hex } from '../platform/crypto.ts'
import { PlatformError } from '../platform/errors.ts'
import { ConditionFailed, type Table } from '../platform/table/port.ts'
import { inviteRows } from './rows.ts'

/** How long a used code is kept, in seconds: so long it can be looked up which request used it. */
const keptSeconds = 30 * 86_400

interface UseContext {
  table: Table
  /** Of the request: a write that the table's client sends again, because its answer was lost, is the same one's. */
  seed: string
}

/**
 * Uses an invite code up, in one conditional write: of any number of callers at once one succeeds.
 * @param now epoch milliseconds
 * @throws PlatformError 400 with `valid: false` for what is no code, or was used
 */
export async function useInvite(
  { table, seed }: UseContext,
  { code }: { code: string },
  now = Date.now(),
): Promise<void> {
  try {
    await table.update(inviteRows.key({ codeHash: await sha256Hex(code) }), {
      set: { usedBy: seed, expiresAt: Math.floor(now / 1000) + keptSeconds },
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

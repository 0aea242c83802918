import { tryWrite } from '#shared/platform/table/try-write.ts'
import { visitDue } from '#shared/platform/table/visit-due.ts'
import type { Revokes } from '../context.ts'
import { connectionRevocationRows, revocationsDue } from '../rows.ts'
import type { Revocation } from './revocation.ts'
import { tryRevocation } from './revoke.ts'

/** The delay of the second attempt, in milliseconds. Each later one is twice as long. */
const firstDelayMs = 60_000

/** The number of attempts that run at the same time. */
const together = 10

/**
 * Revokes tokens of connections that were deleted, and tries again later at servers that fail.
 * @param until epoch milliseconds: no attempt begins later
 * @returns the number of attempts
 */
export async function revokeDue(
  ctx: Revokes,
  { now, until }: { now: number; until: number },
): Promise<{ revocations: number }> {
  const { partitions } = revocationsDue
  const revocations = await visitDue(ctx.table, { partitions, now }, async (items) => {
    let count = 0
    for (let from = 0; from < items.length && Date.now() < until; from += together) {
      const rows = items.slice(from, from + together).map(connectionRevocationRows.parse)
      const tried = await Promise.all(rows.map((row) => attempt(ctx, row, now)))
      count += tried.filter(Boolean).length
    }
    return count
  })
  return { revocations }
}

/**
 * Attempts one revocation. Stores the time of the next attempt first, so that an attempt that kills its process does not
 * delay the others.
 * @returns false if another process makes this attempt
 */
async function attempt(ctx: Revokes, row: Revocation, now: number): Promise<boolean> {
  const { id, attempts: seen } = row
  const attempts = seen + 1
  const isClaimed = await tryWrite(
    ctx.table.update(connectionRevocationRows.key({ id }), {
      set: { attempts, ...revocationsDue.at(id, now + firstDelayMs * 2 ** seen) },
      if: '#attempts = :seen',
      values: { seen },
    }),
  )
  if (isClaimed) await tryRevocation(ctx, { ...row, attempts })
  return isClaimed
}

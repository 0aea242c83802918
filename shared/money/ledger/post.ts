import { createLog, type LogFields } from '#shared/platform/log.ts'
import type { Condition, Update, Write } from '#shared/platform/table/port.ts'
import { isoOf } from '#shared/platform/times.ts'
import { creditRefRows, creditRows, ledgerPlace, type PostingReason } from './rows.ts'

/** The attributes of a user's row for credits. */
export interface CreditAccount {
  /** The balance: the sum of all postings. */
  creditMicroUsd: number
  /** The number of postings; absent before the first. */
  creditPostings?: number | undefined
}

export interface Posting {
  /** Negative for a withdrawal or a refund. */
  microUsd: number
  reason: PostingReason
  /** The id of the cause of the posting, such as an order. */
  ref: string
}

/** The parts of a transaction that posts credits. */
export interface Posted {
  /** The account after the posting. */
  account: Required<CreditAccount>
  /** The posted amount. A withdrawal never exceeds the balance. */
  microUsd: number
  /** The update of the user's row, for `changeItem` or together with other updates of the row. */
  balance: Update & Required<Pick<Update, 'set'>> & { if: string }
  /** The posting's own row. */
  posting: Write
  /**
   * A write that is refused if this reference was already posted. Add it if no other part of the transaction prevents a
   * repeat.
   */
  once: Write
}

const isNew = { if: 'attribute_not_exists(pk)' }

/**
 * Returns the writes of one posting, from the account as it was read. Every change of a balance is a posting and
 * increments the number of postings, which is the condition of the write: after a concurrent posting, `balance` is
 * refused, and the caller reads the account again and retries. A balance never falls below zero; if a fault has made it
 * negative, nothing is withdrawn, and an error is logged.
 */
export function postCredits(
  userId: string,
  { creditMicroUsd, creditPostings = 0 }: CreditAccount,
  { microUsd, reason, ref }: Posting,
  now = Date.now(),
): Posted {
  if (creditMicroUsd < 0) logNegative({ userId, creditMicroUsd, creditPostings, reason, ref })
  const posted = Math.max(microUsd, Math.min(0, -creditMicroUsd))
  const number = creditPostings + 1
  const account = { creditMicroUsd: creditMicroUsd + posted, creditPostings: number }
  return {
    account,
    microUsd: posted,
    balance: { set: account, ...unchanged(creditPostings) },
    posting: {
      put: creditRows.put(
        { userId, number: inDigits(number) },
        {
          at: isoOf(now),
          microUsd: posted,
          balanceMicroUsd: account.creditMicroUsd,
          reason,
          ref,
        },
        number === 1 ? ledgerPlace(userId) : undefined,
      ),
      ...isNew,
    },
    once: { put: creditRefRows.put({ userId, reason, ref }, { number }), ...isNew },
  }
}

/** Logs a negative balance. No posting can cause one, so another part of the platform has a fault. */
function logNegative(fields: LogFields): void {
  createLog({ ledger: 'credits' }).error('a balance is below zero', fields, {
    by: [['ledger']],
    of: { NegativeBalances: [1, 'Count'] },
  })
}

/** The condition that the user exists and nothing was posted since the read. */
function unchanged(postings: number): Condition & { if: string } {
  return postings === 0
    ? { if: 'attribute_exists(pk) AND attribute_not_exists(#creditPostings)' }
    : { if: '#creditPostings = :postings', values: { postings } }
}

/** Returns a posting's number in the form of its key. */
export function inDigits(number: number): string {
  return String(number).padStart(10, '0')
}

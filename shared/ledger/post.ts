import type { Condition, Update, Write } from '../platform/table/port.ts'
import { createLog, type LogFields } from '../platform/log.ts'
import { creditRefRows, creditRows, ledgerPlace, type PostingReason } from './rows.ts'

/** What a user's row says of their credits. */
export interface CreditAccount {
  /** The balance: the sum of all postings. */
  creditMicroUsd: number
  /** How many postings there are; absent before the first. */
  creditPostings?: number | undefined
}

export interface Posting {
  /** Negative for what is drawn or taken back. */
  microUsd: number
  reason: PostingReason
  /** What it is for. */
  ref: string
}

/** The parts of a transaction that posts credits. */
export interface Posted {
  /** What the user has afterwards. */
  account: Required<CreditAccount>
  /** What was posted: less is taken than was asked for where the balance is smaller. */
  microUsd: number
  /** The change of the user's row, for `changeItem` or beside what else changes in it. */
  balance: Update & Required<Pick<Update, 'set'>> & { if: string }
  /** The posting's own row. */
  posting: Write
  /** Refused where this was posted already, for what no other part of the transaction keeps from happening twice. */
  once: Write
}

const isNew = { if: 'attribute_not_exists(pk)' }

/**
 * What one posting writes, from the account as it was read. Every change of a balance is a posting and counts it, so
 * the number of postings is the condition: who comes second is refused at `balance`, reads again and posts again. A
 * balance never falls below zero; of one that is there already, by a fault, nothing is taken, and the log tells of it.
 */
export function postCredits(
  userId: string,
  { creditMicroUsd, creditPostings = 0 }: CreditAccount,
  { microUsd, reason, ref }: Posting,
  now = Date.now(),
): Posted {
  if (creditMicroUsd < 0) tellOfNegative({ userId, creditMicroUsd, creditPostings, reason, ref })
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
          at: new Date(now).toISOString(),
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

/** No posting makes a balance negative, so one that is was made so by something else. */
function tellOfNegative(fields: LogFields): void {
  createLog({ ledger: 'credits' }).error('a balance is below zero', fields, {
    by: [['ledger']],
    of: { NegativeBalances: [1, 'Count'] },
  })
}

/** That the user is there and nothing was posted since. */
function unchanged(postings: number): Condition & { if: string } {
  return postings === 0
    ? { if: 'attribute_exists(pk) AND attribute_not_exists(#creditPostings)' }
    : { if: '#creditPostings = :postings', values: { postings } }
}

/** A posting's number as its key has it. */
export function inDigits(number: number): string {
  return String(number).padStart(10, '0')
}

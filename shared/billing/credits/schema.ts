import * as z from 'zod'
import { postingReasons } from '#shared/money/ledger/rows.ts'
import { countOf } from '#shared/platform/fields.ts'

/** contract.md 6. */
export const creditsAnswer = z
  .object({
    credits: z.number(),
    referralCode: z.string(),
    referralCount: z.number(),
    plan: z.string(),
  })
  .meta({ id: 'Credits' })

/** Larger values are reduced: contract.md, General rules. */
const longestPage = 100

export const ledgerQuery = z.object({
  limit: countOf('limit', 50, longestPage),
  offset: countOf('offset', 0, 999_999_999),
})

export type LedgerQuery = z.output<typeof ledgerQuery>

/** contract.md 9, Billing. */
export const ledgerAnswer = z
  .object({
    entries: z
      .array(
        z.object({
          at: z.string(),
          amount: z.number().describe('Credits; negative if they were used or reversed'),
          reason: z.enum(postingReasons),
          balance: z.number().describe('Credits after the transaction'),
        }),
      )
      .describe('Newest first'),
  })
  .meta({ id: 'CreditLedger' })

import { zeroAddress } from 'viem'
import * as z from 'zod'
import { userIdText } from '#shared/accounts/users/schema.ts'
import { amountPattern, parse } from '#shared/money/amounts/amount.ts'
import { addressField } from '#shared/money/evm/address.ts'
import { requiredText } from '#shared/platform/fields.ts'
import { recipientStatuses, splitStatuses } from './record.ts'

/** contract.md 9, Splits. */
const maxRecipients = 50

/** The maximum difference between the sum of shares and 100, in percent: three shares of 33.33 add up to 99.99. */
const tolerance = 0.01

/** Slightly more than the tolerance, because 33.33 + 33.33 + 33.33 is a little below 99.99 in binary fractions. */
const sumTolerance = tolerance + 1e-9

/** The table cannot store numbers below 1e-130. A share this small never changes an amount. */
const smallestShare = 1e-100

const share = z
  .number('share must be a number above 0')
  .gt(0, 'share must be a number above 0')
  .overwrite((percent) => Math.max(percent, smallestShare))

const recipient = z.object({
  address: addressField('address').refine(
    (address) => address !== zeroAddress,
    'address must not be the zero address',
  ),
  share: share.describe('Percent of the total'),
})

const recipients = z
  .array(recipient, { error: 'recipients must be a list of {address, share}' })
  .min(1, 'recipients must name at least one recipient')
  .max(maxRecipients, `recipients must name at most ${maxRecipients}`)
  .refine(
    (all) => new Set(all.map(({ address }) => address.toLowerCase())).size === all.length,
    'recipients must name each address once',
  )
  .refine(
    (all) => Math.abs(all.reduce((sum, one) => sum + one.share, 0) - 100) <= sumTolerance,
    'the shares of recipients must add up to 100',
  )

const totalAmount = z
  .string('totalAmount must be a decimal string')
  .regex(amountPattern, 'totalAmount must be digits, at most 12 before and 6 after the point')
  .refine(
    (text) => !amountPattern.test(text) || parse('USDC', text).minor > 0n,
    'totalAmount must be above 0',
  )

/** The terms of a split. Without `fromAddress`, the agent's own wallet pays. */
export const splitTerms = z.object({
  agentId: requiredText('agentId', 64),
  name: requiredText('name', 200),
  totalAmount: totalAmount.describe('USDC'),
  recipients,
})

export type SplitTerms = z.output<typeof splitTerms>

export const newSplit = splitTerms
  .extend({
    userId: userIdText,
    fromAddress: addressField('fromAddress').describe('The wallet of that agent'),
  })
  .meta({ id: 'NewSplit' })

export const splitParams = z.object({ splitId: z.string() })

export const queuedSplit = z
  .object({
    success: z.literal(true),
    splitId: z.number(),
    status: z.literal('queued'),
  })
  .meta({ id: 'QueuedSplit' })

export const splitView = z
  .object({
    splitId: z.number(),
    status: z.enum(splitStatuses),
    name: z.string(),
    totalAmount: z.string(),
    currency: z.literal('USDC'),
    reason: z.string().nullable().describe('Why the split failed or waits'),
    createdAt: z.string(),
    completedAt: z.string().nullable(),
    recipients: z.array(
      z.object({
        address: z.string(),
        share: z.number(),
        amount: z.string().describe('USDC, with 6 decimals'),
        status: z.enum(recipientStatuses),
        txHash: z.string().nullable().describe('The confirmed transaction, or the latest one'),
        reason: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Split' })

export type SplitView = z.output<typeof splitView>

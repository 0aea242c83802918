import { getAddress } from 'viem'
import * as z from 'zod'
import { amountPattern } from '#shared/money/amounts/amount.ts'
import { addressField } from '#shared/money/evm/address.ts'
import { amountField } from '#shared/money/fields/amount.ts'
import { canonicalHost } from '../policy/readings.ts'
import { hostForm } from './check.ts'
import { microOf } from './mandate.ts'

/** The largest amount of a mandate in USD. Sums of such amounts are exact as numbers of the table. */
const maxUsd = 1_000_000_000

const maxNames = 100

const usd = (name: string) =>
  amountField(name).refine(
    (text) => !amountPattern.test(text) || microOf(text) <= BigInt(maxUsd) * 1_000_000n,
    `${name} must be at most ${maxUsd}`,
  )

const host = z
  .string('must be a name such as api.example.com')
  .max(259, 'must have at most 259 characters')
  .regex(hostForm, 'must be a name such as api.example.com')
  .overwrite(canonicalHost)

export const newMandate = z
  .object({
    perPaymentUsd: usd('perPaymentUsd').describe('Largest payment, a decimal string'),
    perDayUsd: usd('perDayUsd').describe('Of all payments of a day, UTC'),
    perMonthUsd: usd('perMonthUsd').describe('Of all payments of a calendar month, UTC'),
    hosts: z
      .array(host, 'hosts must be a list or null')
      .max(maxNames, `hosts must have at most ${maxNames} entries`)
      .nullable()
      .default(null)
      .describe('Hosts that may be paid; null for any host, [] for none'),
    payees: z
      .array(
        addressField('the address').overwrite((text) => getAddress(text.toLowerCase())),
        'payees must be a list or null',
      )
      .max(maxNames, `payees must have at most ${maxNames} entries`)
      .nullable()
      .default(null)
      .describe('Addresses that may be paid; null for any address, [] for none'),
    askAboveUsd: usd('askAboveUsd')
      .nullable()
      .default(null)
      .describe('A payment above it waits for an approval'),
    validUntil: z.iso
      .datetime({ offset: true, error: 'validUntil must be a time in ISO 8601', abort: true })
      .overwrite((text) => new Date(text).toISOString())
      .nullable()
      .default(null),
  })
  .meta({
    id: 'NewMandate',
    examples: [
      {
        perPaymentUsd: '0.05',
        perDayUsd: '1',
        perMonthUsd: '10',
        hosts: ['api.example.com'],
        askAboveUsd: '0.02',
      },
    ],
  })

export type NewMandate = z.output<typeof newMandate>

export const mandateView = z
  .object({
    perPaymentUsd: z.string(),
    perDayUsd: z.string(),
    perMonthUsd: z.string(),
    hosts: z.array(z.string()).nullable(),
    payees: z.array(z.string()).nullable(),
    askAboveUsd: z.string().nullable(),
    validUntil: z.string().nullable(),
    usedTodayUsd: z.string().describe('The payments of today (UTC) that count'),
    usedThisMonthUsd: z.string().describe('The payments of this calendar month (UTC) that count'),
  })
  .meta({ id: 'Mandate' })

export type MandateView = z.output<typeof mandateView>

export const mandateDeleted = z.object({ success: z.literal(true) }).meta({ id: 'MandateDeleted' })

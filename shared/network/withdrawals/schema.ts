import { zeroAddress } from 'viem'
import * as z from 'zod'
import { addressField } from '#shared/money/evm/address.ts'
import { amountField } from '#shared/money/fields/amount.ts'
import { splitStatuses } from '#shared/network/splits/record.ts'
import { countOf, cursorText, requiredText } from '#shared/platform/fields.ts'

export const newWithdrawal = z
  .object({
    agentId: requiredText('agentId', 64),
    to: addressField('to').refine(
      (address) => address !== zeroAddress,
      'to must not be the zero address',
    ),
    amount: amountField('amount')
      .refine((text) => /[1-9]/.test(text), 'amount must be above 0')
      .describe('USDC, a decimal string'),
    currentPassword: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Needed if the session is older than 15 minutes'),
  })
  .meta({ id: 'NewWithdrawal' })

export type NewWithdrawal = z.output<typeof newWithdrawal>

export const withdrawalCreated = z
  .object({ id: z.string(), state: z.enum(splitStatuses) })
  .meta({ id: 'WithdrawalCreated' })

export const withdrawalQuery = z.object({ limit: countOf('limit', 50, 100), cursor: cursorText() })

export const withdrawalView = z
  .object({
    id: z.string(),
    agentId: z.string(),
    to: z.string().describe('With its checksum (EIP-55)'),
    amount: z.string().describe('USDC, a decimal string'),
    state: z.enum(splitStatuses),
    txHash: z.string().nullable(),
    reason: z.string().nullable().describe('The reason why it failed or waits'),
    createdAt: z.string(),
    completedAt: z.string().nullable(),
  })
  .meta({ id: 'Withdrawal' })

export type WithdrawalView = z.output<typeof withdrawalView>

export const withdrawalList = z.object({ withdrawals: z.array(withdrawalView) })

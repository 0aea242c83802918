import * as z from 'zod'
import { countOf, cursorText } from '#shared/platform/fields.ts'

export const paymentsQuery = z.object({
  limit: countOf('limit', 50, 100),
  cursor: cursorText(),
  month: z
    .string()
    .regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, 'month must be YYYY-MM')
    .optional()
    .describe('A calendar month, UTC; default: all'),
})

export const paymentView = z
  .object({
    id: z.string(),
    at: z.string(),
    host: z.string(),
    payee: z.string().describe('With its checksum (EIP-55)'),
    usd: z.string().describe('With six decimals'),
    state: z
      .enum(['held', 'sent', 'settled', 'returned'])
      .describe(
        'held and sent count against the mandate; settled: the chain has it; returned: it expired unused',
      ),
    txHash: z.string().nullable(),
    approvalId: z.string().nullable(),
  })
  .meta({ id: 'AgentPayment' })

export type PaymentView = z.output<typeof paymentView>

export const paymentList = z.object({ payments: z.array(paymentView) })

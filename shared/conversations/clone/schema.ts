import * as z from 'zod'
import { specializations } from '#shared/agents/record/lineage.ts'
import { agentName } from '#shared/agents/record/schema.ts'
import { amountPattern, compare, format, parse } from '#shared/money/amounts/amount.ts'

/** The price of a clone: contract.md 7. */
export const clonePrice = parse('pathUSD', '1')

const address = (name: string) =>
  z.string({ error: `${name} required` }).regex(/^0x[0-9a-fA-F]{40}$/, `${name} must be an address`)

const amount = z
  .string({ error: 'amount required' })
  .regex(amountPattern, {
    error: 'amount must be a decimal number with at most 6 decimals',
    abort: true,
  })
  .refine(
    (text) => compare(parse('pathUSD', text), clonePrice) >= 0,
    `amount must be at least ${format(clonePrice, 1)}`,
  )

const paymentProof = z.object({
  transactionHash: z
    .string({ error: 'transactionHash required' })
    .regex(/^0x[0-9a-fA-F]{64}$/, 'transactionHash must be 0x and 64 hex digits'),
  amount,
  currency: z.literal('pathUSD', { error: 'currency must be pathUSD' }),
  chainId: z.literal(4217, { error: 'chainId must be 4217' }),
  from: address('from'),
  to: address('to'),
  timestamp: z.number({ error: 'timestamp required' }).min(0),
})

export type PaymentProof = z.output<typeof paymentProof>

export const cloneRequest = z
  .object({
    parentAgentId: z.string({ error: 'parentAgentId required' }).min(1, 'parentAgentId required'),
    name: agentName,
    specialization: z
      .enum(specializations, {
        error: `specialization must be one of ${specializations.join(', ')}`,
      })
      .default('general'),
    generation: z.number().int().min(1).max(1_000_000).default(1),
    paymentProof,
  })
  .meta({ id: 'CloneRequest' })

export type CloneRequest = z.output<typeof cloneRequest>

export const cloneMade = z
  .object({
    success: z.literal(true),
    agentId: z.string(),
    parentAgentId: z.string(),
    name: z.string(),
    generation: z.number(),
    specialization: z.enum(specializations),
    walletAddress: z.string().describe('The wallet of the clone'),
    transactionHash: z.string(),
  })
  .meta({ id: 'Clone' })

export const cloneService = z
  .object({
    service: z.literal('agent-clone'),
    version: z.string(),
    protocol: z.literal('x402-tempo'),
    clonePrice: z.string(),
    chainId: z.number(),
  })
  .meta({ id: 'CloneService' })

import * as z from 'zod'
import { addressField } from '../evm/address.ts'
import { amountPattern } from '../money/amount.ts'

const actions = ['join-colony', 'fitness', 'pricing', 'endpoints', 'pay'] as const

const text = (longest: number) => z.string().min(1).max(longest)

/** spec.md, x402 gateway proxy. What an action needs beyond its form is asked for once its caller is known. */
export const upstreamRequest = z
  .object({
    action: z.enum(actions, {
      error: 'Invalid action. Use: join-colony, fitness, pricing, endpoints, or pay',
    }),
    agentId: z
      .string()
      .max(200)
      // It becomes a segment of a path.
      .refine((id) => id !== '.' && id !== '..' && id.isWellFormed(), 'agentId must be an id')
      .optional()
      .describe('Of every action but endpoints; of join-colony and pay one of the caller’s own'),
    walletAddress: addressField('walletAddress').optional().describe('Of join-colony'),
    amount: z
      .string()
      .regex(amountPattern, 'amount must be a decimal number with at most 6 decimals')
      .optional()
      .describe('Of pay'),
    currency: text(20).optional().describe('Of pay; passed on as it is'),
    recipient: addressField('recipient').optional().describe('Of pay'),
    endpoint: text(200).optional().describe('What is paid for, by its slug at the gateway'),
    method: text(100).optional().describe('How it is paid'),
  })
  .meta({ id: 'X402Action' })

export type UpstreamRequest = z.output<typeof upstreamRequest>

const score = z.number().min(0).max(100)

const share = z.number().optional()

export const fitness = z.object({
  score,
  tier: z.string(),
  details: z
    .object({ prediction: share, execution: share, coordination: share })
    .nullable()
    .default(null),
})

export const pricing = z.object({
  tier: z.string(),
  pricing: z.object({ rate: z.number(), discount: z.number() }),
  fitness: z.object({ score, tier: z.string() }),
})

export const endpoints = z.object({
  endpoints: z.array(z.object({ slug: z.string(), description: z.string(), price: z.string() })),
})

const made = z.literal(true).optional().describe('Where the gateway did not answer')

/** What each action answers; of join-colony and pay it is the gateway’s own answer. */
export const upstreamAnswer = z
  .union([
    fitness.extend({ success: made }),
    pricing.extend({ success: made, agentId: z.string() }),
    endpoints.extend({ success: z.literal(true) }),
    z.looseObject({ success: z.boolean().describe('Whether the gateway’s status said so') }),
  ])
  .meta({ id: 'X402Answer' })

export const upstreamHealth = z
  .looseObject({
    gateway: z.string().describe('The address of the gateway'),
  })
  .meta({ id: 'X402Health' })

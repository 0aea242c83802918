import * as z from 'zod'
import { amountPattern } from '#shared/money/amounts/amount.ts'
import { addressField } from '#shared/money/evm/address.ts'

const actions = ['join-colony', 'fitness', 'pricing', 'endpoints', 'pay'] as const

const text = (longest: number) => z.string().min(1).max(longest)

/** spec.md, x402 gateway proxy. The other fields of an action are checked only after its caller is identified. */
export const upstreamRequest = z
  .object({
    action: z.enum(actions, {
      error: 'Invalid action. Use: join-colony, fitness, pricing, endpoints, or pay',
    }),
    agentId: z
      .string()
      .max(200)
      // The id becomes a path segment.
      .refine((id) => id !== '.' && id !== '..' && id.isWellFormed(), 'agentId must be an id')
      .optional()
      .describe(
        'For all actions except endpoints; must be the caller’s agent for join-colony and pay',
      ),
    walletAddress: addressField('walletAddress').optional().describe('For join-colony'),
    amount: z
      .string()
      .regex(amountPattern, 'amount must be a decimal number with at most 6 decimals')
      .optional()
      .describe('For pay'),
    currency: text(20).optional().describe('For pay; forwarded unchanged'),
    recipient: addressField('recipient').optional().describe('For pay'),
    endpoint: text(200).optional().describe('The slug of the paid endpoint'),
    method: text(100).optional().describe('The payment method'),
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

const made = z.literal(true).optional().describe('Present if the gateway did not respond')

/** The response of each action; for join-colony and pay the gateway’s own response. */
export const upstreamAnswer = z
  .union([
    fitness.extend({ success: made }),
    pricing.extend({ success: made, agentId: z.string() }),
    endpoints.extend({ success: z.literal(true) }),
    z.looseObject({
      success: z.boolean().describe('True if the gateway returned a success status'),
    }),
  ])
  .meta({ id: 'X402Answer' })

export const upstreamHealth = z
  .looseObject({
    gateway: z.string().describe('The URL of the gateway'),
  })
  .meta({ id: 'X402Health' })

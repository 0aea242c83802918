import { isAddress } from 'viem'
import * as z from 'zod'
import { walletProof } from '../wallet-sign-in/schema.ts'

/** Balances exceed 2^53, so they are sent as decimal digits. */
const amount = z
  .string()
  .regex(/^[1-9]\d{0,77}$/, 'minimumBalance must be a whole number over 0, as text')

export const gateRequest = walletProof.extend({
  tokenAddress: z
    .string()
    .refine((text) => isAddress(text, { strict: false }), 'tokenAddress is not an address')
    .optional()
    .describe('An ERC-20 or ERC-721 contract; default: the platform’s token'),
  minimumBalance: amount.optional().describe('In the smallest unit of the token; default 1'),
})

export type GateRequest = z.output<typeof gateRequest>

export const gateAnswer = z
  .object({
    success: z.literal(true),
    tokenGated: z.boolean(),
    accessLevel: z.enum(['holder', 'basic']),
    address: z.string(),
    tokenAddress: z.string(),
    balance: z.string(),
    minimumBalance: z.string(),
    chainId: z.number(),
  })
  .meta({ id: 'TokenGate' })

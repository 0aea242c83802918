import * as z from 'zod'
import { addressField } from '../evm/address.ts'

const required = (name: string) =>
  z
    .string({ error: `${name} required` })
    .min(1, `${name} required`)
    .max(128)

export const walletRequest = z
  .object({ userId: required('userId'), agentId: required('agentId') })
  .meta({ id: 'NewWallet' })

export const walletParams = z.object({ address: addressField('address') })

export const ownerQuery = z.object({ userId: required('userId') })

export const walletView = z
  .object({
    address: z.string().describe('With its checksum (EIP-55)'),
    agentId: z.string(),
    userId: z.string(),
  })
  .meta({ id: 'Wallet' })

export const walletBalance = z
  .object({
    address: z.string().describe('With its checksum (EIP-55)'),
    balance_usdc: z.number().describe('USDC, to six decimals'),
  })
  .meta({ id: 'WalletBalance' })

export const agentRequest = z.object({ agentId: required('agentId') })

export const agentQuery = z.object({ agentId: required('agentId').optional() })

export const walletAddress = walletView.pick({ address: true, agentId: true })

export const walletList = z.object({
  wallets: z.array(
    walletAddress
      .extend({
        balance_usdc: z
          .number()
          .nullable()
          .describe('USDC; null if the chain is not configured or does not answer'),
        chain_id: z.int().describe('The chain of the balance and of payments (EIP-155)'),
      })
      .meta({ id: 'WalletOfList' }),
  ),
  count: z.number(),
})

import { concat, type Hex, pad, parseUnits, toHex } from 'viem'
import { startAnvil } from '../chains/anvil.ts'
import { place, transferCode } from '../chains/contracts.ts'

export const token: Hex = pad('0x70', { size: 20 })
export const payTo: Hex = pad('0xca', { size: 20 })

/** A request for a clone, without its payment. */
export const order = (parentAgentId: string) => ({ parentAgentId, name: 'Ada the second' })

/** A sender that has paid nothing. */
export const payer: Hex = pad('0x0a', { size: 20 })

export const proofOf = (transactionHash: string, change: object = {}) => ({
  transactionHash,
  amount: '1.0',
  currency: 'pathUSD',
  chainId: 4217,
  from: payer,
  to: payTo,
  timestamp: 1_790_000_000,
  ...change,
})

/** The chain that receives payments for clones, and an account that pays there. */
export async function startCloneChain() {
  const anvil = await startAnvil(4217)
  const [from] = (await anvil.request('eth_accounts')) as unknown as [Hex]
  await place(anvil, token, transferCode)
  return {
    anvil,
    from,
    /** Makes a transfer on the chain, by default the requested one. */
    async pay({ to = payTo, amount = '1.0', contract = token, sender = from } = {}) {
      const data = concat([pad(to), pad(toHex(parseUnits(amount, 6)))])
      return anvil.send({ from: sender, to: contract, data })
    },
  }
}

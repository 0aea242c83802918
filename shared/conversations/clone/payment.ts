import { erc20Abi, type Hex, isAddressEqual, parseEventLogs } from 'viem'
import { amountOf, compare, parse } from '#shared/money/amounts/amount.ts'
import type { Rpc } from '#shared/money/evm/client.ts'
import { readChainId, readReceipt, type Receipt } from '#shared/money/evm/receipt.ts'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import type { PaymentProof } from './schema.ts'

/** The chain, token and recipient of payments for clones: contract.md 1. */
export interface Payee {
  /** TEMPO_RPC_URL. */
  rpc: Rpc
  /** PATHUSD_ADDRESS. */
  token: Hex | undefined
  /** CLONE_PAY_TO. */
  payTo: Hex | undefined
}

/**
 * Returns the configured payee.
 * @throws PlatformError 503 with every missing setting
 */
export function requirePayee({ rpc, token, payTo }: Payee): {
  rpc: Rpc
  token: Hex
  payTo: Hex
} {
  const missing = [
    ...(rpc.url === undefined ? [rpc.setting] : []),
    ...(token === undefined ? ['PATHUSD_ADDRESS'] : []),
    ...(payTo === undefined ? ['CLONE_PAY_TO'] : []),
  ]
  if (token === undefined || payTo === undefined || missing.length > 0)
    throw notConfigured('Cloning', missing)
  return { rpc, token, payTo }
}

/**
 * Checks on the chain that a clone was paid for: by a successful transaction in a block, with a pathUSD transfer of at
 * least the claimed amount from the claimed payer to the platform.
 * @throws PlatformError 402 PAYMENT_INVALID with the reason, 503 if it is not configured or the chain does not respond
 */
export async function checkPayment(payee: Payee, proof: PaymentProof): Promise<void> {
  const { rpc, token, payTo } = requirePayee(payee)
  if (!isAddressEqual(proof.to as Hex, payTo)) throw invalid(`it must be paid to ${payTo}`)
  const [chainId, receipt] = await Promise.all([
    readChainId(rpc),
    readReceipt(rpc, proof.transactionHash as Hex),
  ])
  if (chainId !== proof.chainId) throw notConfigured('Cloning', [rpc.setting])
  if (receipt === undefined) throw invalid('the transaction is not in a block yet')
  if (receipt.status !== 'success') throw invalid('the transaction failed')
  const paid = transfers(receipt, token)
    .filter(({ args }) => isAddressEqual(args.to, payTo))
    .filter(({ args }) => isAddressEqual(args.from, proof.from as Hex))
    .reduce((sum, { args }) => sum + args.value, 0n)
  if (compare(amountOf('pathUSD', paid), parse('pathUSD', proof.amount)) < 0)
    throw invalid(`the transaction does not pay ${proof.amount} pathUSD from ${proof.from}`)
}

/** Returns a token's transfers in a transaction, without events of other contracts. */
function transfers({ logs }: Receipt, token: Hex) {
  const own = logs.filter(({ address }) => isAddressEqual(address, token))
  return parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: own })
}

function invalid(reason: string): PlatformError {
  return new PlatformError('payment-required', `The payment is not valid: ${reason}`, {
    code: 'PAYMENT_INVALID',
    details: { reason },
  })
}

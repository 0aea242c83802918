import * as z from 'zod'
import { askEach } from '#shared/money/evm/batch.ts'
import type { UsdcChain } from '#shared/money/evm/usdc.ts'
import type { SignedPayment } from '../payments.ts'

/**
 * The result of a broadcast, with the reasons that block payments. Nodes report them only as text, which differs
 * between nodes.
 */
export interface BroadcastOutcome {
  /** The wallet has too little ETH for gas. */
  lacksGas: boolean
  /** The nonces whose fees the node rejects as too low. */
  tooCheap: number[]
  /** The number of payments rejected for any other reason. */
  refused: number
}

const lacksGas = /insufficient funds/i
const tooCheap =
  /less than block base fee|fee ?cap|underpriced|too low.*(fee|price)|below.*base fee/i
/**
 * Errors that are ignored: the node already has the payment, it is in a block, or it was replaced with a higher fee.
 */
const harmless =
  /already known|already imported|known transaction|already exists|nonce too low|replacement/i

/**
 * Broadcasts stored, signed payments. Repeated broadcasts are harmless.
 * @throws PlatformError 503 if the node does not respond
 */
export async function broadcast(
  { rpc }: UsdcChain,
  payments: readonly SignedPayment[],
): Promise<BroadcastOutcome> {
  const answers = await askEach(
    rpc,
    payments.map(({ raw }) => ({
      method: 'eth_sendRawTransaction',
      params: [raw],
      form: z.unknown(),
    })),
  )
  const outcome: BroadcastOutcome = { lacksGas: false, tooCheap: [], refused: 0 }
  for (const [i, { nonce }] of payments.entries()) {
    const answer = answers[i]
    if (answer === undefined || 'result' in answer || harmless.test(answer.refused)) continue
    if (lacksGas.test(answer.refused)) outcome.lacksGas = true
    else if (tooCheap.test(answer.refused)) outcome.tooCheap.push(nonce)
    else outcome.refused++
  }
  return outcome
}

import * as z from 'zod'
import { askEach } from '../../evm/batch.ts'
import type { UsdcChain } from '../../evm/usdc.ts'
import type { Payment } from '../payments.ts'

/** What stands in the way of payments: nodes say so in words alone, which differ. */
export interface Outcome {
  /** The wallet has too little ETH for gas. */
  lacksGas: boolean
  /** Nonces whose fees are too low for the node to take them. */
  tooCheap: number[]
  /** How many the node refused for a reason that is not known here. */
  refused: number
}

const lacksGas = /insufficient funds/i
const tooCheap =
  /less than block base fee|fee ?cap|underpriced|too low.*(fee|price)|below.*base fee/i
/** It is known already, or in a block by now; or a try that pays more is. */
const harmless =
  /already known|already imported|known transaction|already exists|nonce too low|replacement/i

/**
 * Hands the node signed payments as they are stored. A node that has them says so, and no harm is done.
 * @throws PlatformError 503 where the node does not answer
 */
export async function broadcast(
  { rpc }: UsdcChain,
  payments: readonly Payment[],
): Promise<Outcome> {
  const answers = await askEach(
    rpc,
    payments.map(({ raw }) => ({
      method: 'eth_sendRawTransaction',
      params: [raw],
      form: z.unknown(),
    })),
  )
  const outcome: Outcome = { lacksGas: false, tooCheap: [], refused: 0 }
  for (const [i, { nonce }] of payments.entries()) {
    const answer = answers[i]
    if (answer === undefined || 'result' in answer || harmless.test(answer.refused)) continue
    if (lacksGas.test(answer.refused)) outcome.lacksGas = true
    else if (tooCheap.test(answer.refused)) outcome.tooCheap.push(nonce)
    else outcome.refused++
  }
  return outcome
}

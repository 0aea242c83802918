import { broadcast, type BroadcastOutcome } from '../chain/broadcast.ts'
import { type Fees, isAboveCap } from '../chain/fees.ts'
import type { Head } from '../chain/head.ts'
import { newestTries, type SignedPayment, readPayments } from '../payments.ts'
import type { WalletContext } from './context.ts'

/** A payment is signed again with higher fees after this time and this many blocks. */
const stuckMs = 30_000
const stuckBlocks = 3

/** The maximum number of payments in one call of the signer. */
const maxReplaced = 50

/** Returns the chain's state for a call of the signer. */
export function chainState({ count, block, fees }: Head) {
  return {
    count,
    block,
    fees: {
      maxFeePerGas: String(fees.maxFeePerGas),
      maxPriorityFeePerGas: String(fees.maxPriorityFeePerGas),
    },
  }
}

/**
 * Broadcasts every signed payment that is in no block, from any split, with the stored bytes. Fills nonces without a
 * payment, and raises the fees of payments that are not included in blocks.
 * @param sent.payments the newest attempt of each nonce, from the chain's count on
 * @param sent.next the wallet's next nonce
 */
export async function sendAgain(
  ctx: WalletContext,
  head: Head,
  { payments, next }: { payments: readonly SignedPayment[]; next: number },
): Promise<BroadcastOutcome> {
  const { signer, table, chain, wallet } = ctx
  const account = { wallet, chainId: chain.chainId }
  let live = alive(payments, head)
  if (live.length < next - head.count && !isAboveCap(head.fees)) {
    await signer.fillNonces({ wallet, ...chainState(head) })
    live = alive(newestTries(await readPayments(table, account, head.count)), head)
  }
  const outcome = await broadcast(chain, live)
  const nonces = stuck(ctx, head, live, outcome.tooCheap).slice(0, maxReplaced)
  if (nonces.length === 0 || isAboveCap(head.fees)) return outcome
  const { signed } = await signer.replacePayments({ wallet, nonces, ...chainState(head) })
  if (signed === 0) return outcome
  const replaced = newestTries(await readPayments(table, account, head.count))
  return broadcast(
    chain,
    alive(replaced, head).filter(({ nonce }) => nonces.includes(nonce)),
  )
}

function alive(payments: readonly SignedPayment[], { count }: Head): SignedPayment[] {
  return payments.filter(({ nonce, dead }) => nonce >= count && !dead)
}

/**
 * Returns the nonces that need higher fees: the lowest nonce if blocks do not include it, and all nonces whose maximum
 * fee is below the base fee.
 */
function stuck(
  { now }: WalletContext,
  { block, baseFee, count }: Head,
  payments: readonly SignedPayment[],
  tooCheap: readonly number[],
): number[] {
  return payments
    .filter(({ nonce, at, block: signedAt, maxFeePerGas }) => {
      if (tooCheap.includes(nonce)) return true
      if (now - at < stuckMs || block - signedAt < stuckBlocks) return false
      return nonce === count || BigInt(maxFeePerGas) < baseFee
    })
    .map(({ nonce }) => nonce)
}

/** Returns the reason why payments cannot be sent, as text for people, or undefined if they can. */
export function obstacle(
  { lacksGas, tooCheap, refused }: BroadcastOutcome,
  { fees }: { fees: Fees },
  wallet: string,
): string | undefined {
  if (lacksGas)
    return `The wallet ${wallet} has too little ETH for gas; the split continues when it has more`
  if (isAboveCap(fees))
    return 'The gas price exceeds the platform’s limit; the split continues when it is lower'
  if (refused + tooCheap.length > 0)
    return 'The chain’s node currently rejects the payments; they are sent again'
  return undefined
}

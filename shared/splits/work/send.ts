import { broadcast, type Outcome } from '../chain/broadcast.ts'
import { type Fees, isAboveCap } from '../chain/fees.ts'
import type { Head } from '../chain/head.ts'
import { newestTries, type Payment, readPayments } from '../payments.ts'
import type { WalletContext } from './context.ts'

/** A payment that waits this long and through this many blocks is signed again with higher fees. */
const stuckMs = 30_000
const stuckBlocks = 3

/** The signer takes this many at once. */
const mostReplaced = 50

/** What a call of the signer says of the chain. */
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
 * Hands the node every signed payment that no block holds, of whichever split: the stored bytes as they are. Nonces that
 * nothing stands for any more are used up, and payments that no block takes at their fees get higher ones.
 * @param sent.payments the newest try of each nonce from the chain's count on
 * @param sent.next the wallet's next nonce
 */
export async function sendAgain(
  ctx: WalletContext,
  head: Head,
  { payments, next }: { payments: readonly Payment[]; next: number },
): Promise<Outcome> {
  const { signer, table, chain, wallet } = ctx
  const account = { wallet, chainId: chain.chainId }
  let live = alive(payments, head)
  if (live.length < next - head.count && !isAboveCap(head.fees)) {
    await signer.fillNonces({ wallet, ...chainState(head) })
    live = alive(newestTries(await readPayments(table, account, head.count)), head)
  }
  const outcome = await broadcast(chain, live)
  const nonces = stuck(ctx, head, live, outcome.tooCheap).slice(0, mostReplaced)
  if (nonces.length === 0 || isAboveCap(head.fees)) return outcome
  const { signed } = await signer.replacePayments({ wallet, nonces, ...chainState(head) })
  if (signed === 0) return outcome
  const replaced = newestTries(await readPayments(table, account, head.count))
  return broadcast(
    chain,
    alive(replaced, head).filter(({ nonce }) => nonces.includes(nonce)),
  )
}

function alive(payments: readonly Payment[], { count }: Head): Payment[] {
  return payments.filter(({ nonce, dead }) => nonce >= count && !dead)
}

/** The nonces that no block takes: the lowest one that was passed over, and all that bid less than blocks now ask. */
function stuck(
  { now }: WalletContext,
  { block, baseFee, count }: Head,
  payments: readonly Payment[],
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

/** What people read where payments cannot be sent; undefined where they can. */
export function obstacle(
  { lacksGas, tooCheap, refused }: Outcome,
  { fees }: { fees: Fees },
  wallet: string,
): string | undefined {
  if (lacksGas)
    return `The wallet ${wallet} has too little ETH for gas; the split goes on once it has more`
  if (isAboveCap(fees))
    return 'The chain asks for more gas than the platform pays; the split goes on once it asks less'
  if (refused + tooCheap.length > 0)
    return 'The chain does not take the payments at the moment; they are sent again'
  return undefined
}

import type { Recipient } from '../record.ts'

/** An observation of a recipient's nonce on the chain. */
export type Observation =
  /** No block contains it. `hash` is the last signed transaction. */
  | { kind: 'unused'; hash: string }
  /** A block contains one of the signed transactions. */
  | ({ kind: 'mined'; hash: string; paid: boolean } & Place)
  /** A block contains another transaction with this nonce, not signed by the platform. */
  | ({ kind: 'taken' } & Place)
  /** The node contradicts itself: the recipient does not change. */
  | { kind: 'contradiction'; why: string }

interface Place {
  /** The hash of the block. */
  block: string
  /** The number of blocks from this block to the newest; 1 for the newest. */
  depth: number
  /** True if the block is final. */
  final: boolean
}

/**
 * A payment counts as settled after five blocks, which take ten seconds on Base (a block every 2 s,
 * https://docs.base.org/base-chain/network-information/block-building). A developer's chain that creates blocks only
 * for transactions may never have five more, so ten seconds in the same block are enough too. If the chain reorganises
 * the block later, the same bytes are sent again.
 */
export const settledBlocks = 5
const settledMs = 10_000

const revertedReason =
  'The transfer was reverted: the recipient may be blocked, or the wallet no longer had enough USDC'

/**
 * Returns the recipient after an observation of its signed payment.
 * @param now epoch milliseconds
 */
export function applyObservation(recipient: Recipient, seen: Observation, now: number): Recipient {
  if (recipient.nonce === undefined || recipient.status === 'confirmed') return recipient
  if (seen.kind === 'contradiction') return recipient
  if (seen.kind === 'unused') return submitted(recipient, seen.hash)
  const noted = note(recipient, seen, now)
  const settled = seen.depth >= settledBlocks || now - (noted.seen?.at ?? now) >= settledMs
  if (seen.kind === 'taken')
    return settled && seen.final ? freed(recipient) : { ...noted, reason: takenReason }
  if (!settled) return noted
  if (seen.paid) return { ...without(noted, 'reason'), status: 'confirmed' }
  // A retried recipient gets another nonce only when this one can no longer pay.
  if (recipient.status === 'pending')
    return seen.final ? freed(recipient) : { ...noted, reason: revertedBefore }
  return { ...noted, status: 'failed', reason: revertedReason }
}

const revertedBefore = 'The transfer was reverted; it is sent again when the revert is final'

const takenReason =
  'Another transaction of the wallet replaced it; it is sent again when that transaction is final'

/** The signed bytes can still pay, even if the payment had failed and the chain reorganised it. */
function submitted(recipient: Recipient, txHash: string): Recipient {
  return { ...without(recipient, 'seen', 'reason'), status: 'submitted', txHash }
}

/** Records the block, and the time since which the payment is in this block. */
function note(
  recipient: Recipient,
  seen: Extract<Observation, { block: string }>,
  now: number,
): Recipient {
  const hash = seen.kind === 'mined' ? seen.hash : undefined
  const { seen: before } = recipient
  const same = before !== undefined && before.hash === hash && before.block === seen.block
  return {
    ...recipient,
    ...(hash !== undefined && { txHash: hash }),
    seen: {
      ...(hash !== undefined && { hash }),
      block: seen.block,
      at: same ? before.at : now,
    },
  }
}

/** Returns the recipient without its payment; it waits for a payment with another nonce. */
function freed(recipient: Recipient): Recipient {
  return { ...without(recipient, 'nonce', 'txHash', 'seen', 'reason'), status: 'pending' }
}

function without<Name extends keyof Recipient>(recipient: Recipient, ...names: readonly Name[]) {
  const left = { ...recipient }
  for (const name of names) Reflect.deleteProperty(left, name)
  return left
}

import type { Recipient } from '../record.ts'

/** What the chain says of the nonce that pays a recipient. */
export type Observation =
  /** No block has used it; the transaction that was signed for it last. */
  | { kind: 'unused'; hash: string }
  /** A block holds one of the transactions that were signed for it. */
  | ({ kind: 'mined'; hash: string; paid: boolean } & Place)
  /** A block holds another transaction with this nonce, which the platform has not signed. */
  | ({ kind: 'taken' } & Place)
  /** What the node says cannot be: nothing moves by it. */
  | { kind: 'contradiction'; why: string }

interface Place {
  /** The hash of the block. */
  block: string
  /** How many blocks there are from this one on: 1 for the newest. */
  depth: number
  /** The chain will not take it back. */
  final: boolean
}

/**
 * From when on a payment counts as made: five blocks, ten seconds of Base (a block every 2 s,
 * https://docs.base.org/base-chain/network-information/block-building). A chain that makes a block for each transaction
 * alone, as those of developers do, may never have five; ten seconds in the same block count as much. What is taken
 * back later nevertheless is sent again, by the same bytes.
 */
export const settledBlocks = 5
export const settledMs = 10_000

/** What a reverted transfer says of itself. */
export const revertedReason =
  'The transfer was reverted: the recipient may be blocked, or the wallet had too little USDC by then'

/** What the look at the chain makes of a recipient whose payment is signed. @param now epoch milliseconds */
export function observe(recipient: Recipient, seen: Observation, now: number): Recipient {
  if (recipient.nonce === undefined || recipient.status === 'confirmed') return recipient
  if (seen.kind === 'contradiction') return recipient
  if (seen.kind === 'unused') return submitted(recipient, seen.hash)
  const noted = note(recipient, seen, now)
  const settled = seen.depth >= settledBlocks || now - (noted.seen?.at ?? now) >= settledMs
  if (seen.kind === 'taken')
    return settled && seen.final ? freed(recipient) : { ...noted, reason: takenReason }
  if (!settled) return noted
  if (seen.paid) return { ...without(noted, 'reason'), status: 'confirmed' }
  // A recipient that is tried again gets another nonce only once this one cannot pay any more.
  if (recipient.status === 'pending')
    return seen.final ? freed(recipient) : { ...noted, reason: revertedBefore }
  return { ...noted, status: 'failed', reason: revertedReason }
}

const revertedBefore =
  'Its transfer was reverted; it is paid anew once the chain will not take that back'

const takenReason =
  'Another transaction of the wallet took its place; it is paid anew once that one is final'

/** Its bytes can still pay, also those of one that had failed and that the chain took back. */
function submitted(recipient: Recipient, txHash: string): Recipient {
  return { ...without(recipient, 'seen', 'reason'), status: 'submitted', txHash }
}

/** Notes in which block it is seen, and since when in this one. */
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

/** Nothing pays it any more: it waits for a payment with another nonce. */
function freed(recipient: Recipient): Recipient {
  return { ...without(recipient, 'nonce', 'txHash', 'seen', 'reason'), status: 'pending' }
}

function without<Name extends keyof Recipient>(recipient: Recipient, ...names: readonly Name[]) {
  const left = { ...recipient }
  for (const name of names) Reflect.deleteProperty(left, name)
  return left
}

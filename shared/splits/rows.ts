import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'
import { splitRecord } from './record.ts'

/** A payment of one total to several recipients, with what has become of each. */
export const splitRows = entity({
  name: 'split',
  pk: 'split#{splitId}',
  sk: 'split',
  schema: splitRecord,
})

/** The split that a request has made, so that its repeat makes no second one; kept a day. */
export const splitRequestRows = entity({
  name: 'request for a split',
  pk: 'split-request#{seed}',
  sk: 'split',
  schema: () => z.object({ splitId: z.number() }),
})

/** A user’s split, by its number in twelve digits. */
export const userSplitRows = entity({
  name: 'user’s split',
  pk: 'user#{userId}',
  sk: 'split#{number}',
  schema: () => z.object({ splitId: z.number() }),
})

/** A wallet’s split that is not over, by its number in twelve digits: one at a time is paid, the oldest first. */
export const openSplitRows = entity({
  name: 'open split of a wallet',
  pk: 'payer#{wallet}',
  sk: 'open-split#{number}',
  schema: () => z.object({ splitId: z.number() }),
})

/** What a wallet has signed on a chain, by its id, for one nonce, in twelve digits, by the try, in three: the bytes are stored before they leave the signer. */
export const paymentRows = entity({
  name: 'signed payment',
  pk: 'payer#{wallet}',
  sk: 'payment#{chain}#{nonce}#{try}',
  schema: () =>
    z.object({
      nonce: z.number(),
      /** From 1 on; each pays more for its place in a block than the one before. */
      try: z.number(),
      /** What it pays; null for one that only uses a nonce up which the chain has given back. */
      pays: z
        .object({
          splitId: z.number(),
          index: z.number(),
          /** The contract that pays: its further tries are signed for no other. */
          token: z.string(),
          to: z.string(),
          /** Micro-USDC, as a decimal integer. */
          amount: z.string(),
        })
        .nullable(),
      /** As it is broadcast. */
      raw: z.string(),
      hash: z.string(),
      /** Wei a unit of gas, as decimal integers. */
      maxFeePerGas: z.string(),
      maxPriorityFeePerGas: z.string(),
      /** Epoch milliseconds. */
      at: z.number(),
      /** The newest block by then. */
      block: z.number(),
      /** Another transaction used the nonce for good: it is never broadcast again. */
      dead: z.literal(true).optional(),
    }),
})

/** The next nonce that a wallet’s payments on a chain take. */
export const nonceRows = entity({
  name: 'nonce of a wallet',
  pk: 'payer#{wallet}',
  sk: 'nonce#{chain}',
  schema: () => z.object({ next: z.number() }),
})

/** That something is left to do for a wallet’s payments, and who is at it; in the index by when it is overdue. */
export const workRows = entity({
  name: 'work on a wallet’s payments',
  pk: 'payer#{wallet}',
  sk: 'work',
  gsi1: { pk: 'payers#{shard}', sk: '{due}#{wallet}' },
  schema: () =>
    z.object({
      wallet: z.string(),
      /** Each look at the wallet takes one: a message that follows an older one is stale. */
      turn: z.number(),
      /** The message that has taken it. */
      by: z.string().optional(),
      /** Epoch milliseconds from when on payments that have left the table are not watched any more. */
      watchUntil: z.number().optional(),
      /** How far the wallet's payments were when a look last ended, and since when (epoch milliseconds) they are. */
      progress: z.object({ mark: z.string(), since: z.number() }).optional(),
    }),
})

/** A number as keys have it, so that they sort by it. */
export function inKey(number: number, digits = 12): string {
  return String(number).padStart(digits, '0')
}

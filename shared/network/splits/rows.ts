import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { splitRecord } from './record.ts'

/** A payment of one total to several recipients, with each recipient's state. */
export const splitRows = entity({
  name: 'split',
  pk: 'split#{splitId}',
  sk: 'split',
  schema: splitRecord,
})

/** Maps a request to its split, so that a retry creates no second split. Stored for a day. */
export const splitRequestRows = entity({
  name: 'request for a split',
  pk: 'split-request#{seed}',
  sk: 'split',
  schema: () => z.object({ splitId: z.number() }),
})

/** A user’s split. Its number has twelve digits. */
export const userSplitRows = entity({
  name: 'user’s split',
  pk: 'user#{userId}',
  sk: 'split#{number}',
  schema: () => z.object({ splitId: z.number() }),
})

/**
 * An unfinished split of a wallet. Its number has twelve digits. A wallet pays one split at a time, the oldest first.
 */
export const openSplitRows = entity({
  name: 'open split of a wallet',
  pk: 'payer#{wallet}',
  sk: 'open-split#{number}',
  schema: () => z.object({ splitId: z.number() }),
})

/**
 * A signed transaction. The key contains the chain's id, the nonce in twelve digits and the attempt in three. The
 * signed bytes are stored before any other function can read them.
 */
export const paymentRows = entity({
  name: 'signed payment',
  pk: 'payer#{wallet}',
  sk: 'payment#{chain}#{nonce}#{try}',
  schema: () =>
    z.object({
      nonce: z.number(),
      /** The number of the attempt, from 1. Each attempt has a higher fee. */
      try: z.number(),
      /** Null for a transaction that only fills a nonce that the chain has released. */
      pays: z
        .object({
          splitId: z.number(),
          index: z.number(),
          /** The token contract, which is the same for later attempts. */
          token: z.string(),
          to: z.string(),
          /** Micro-USDC, as a decimal integer. */
          amount: z.string(),
        })
        .nullable(),
      /** The signed bytes to broadcast. */
      raw: z.string(),
      hash: z.string(),
      /** Wei per unit of gas, as decimal integers. */
      maxFeePerGas: z.string(),
      maxPriorityFeePerGas: z.string(),
      /** Epoch milliseconds. */
      at: z.number(),
      /** The newest block at that time. */
      block: z.number(),
      /** True if another transaction used the nonce and is final, so this one is never broadcast again. */
      dead: z.literal(true).optional(),
    }),
})

/** The next nonce of a wallet on a chain. */
export const walletNonceRows = entity({
  name: 'nonce of a wallet',
  pk: 'payer#{wallet}',
  sk: 'nonce#{chain}',
  schema: () => z.object({ next: z.number() }),
})

/** Outstanding work on a wallet’s payments. The index orders it by the time when it is overdue. */
export const workRows = entity({
  name: 'work on a wallet’s payments',
  pk: 'payer#{wallet}',
  sk: 'work',
  gsi1: { pk: 'payers#{shard}', sk: '{due}#{wallet}' },
  schema: () =>
    z.object({
      wallet: z.string(),
      /** Increases with each check of the wallet: a message for an older turn is stale. */
      turn: z.number(),
      /** Epoch milliseconds: finished payments are watched until this time. */
      watchUntil: z.number().optional(),
      /**
       * The progress of the payments at the last check, and the time since which it has not changed (epoch
       * milliseconds).
       */
      progress: z.object({ mark: z.string(), since: z.number() }).optional(),
    }),
})

/** Returns a number with leading zeros, so that keys sort by it. */
export function inKey(number: number, digits = 12): string {
  return String(number).padStart(digits, '0')
}

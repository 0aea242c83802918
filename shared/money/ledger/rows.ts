import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { shardOf } from '#shared/platform/table/shard.ts'

/**
 * The reason of a change: credits that were granted or bought, used by model calls, withdrawn after a refund, or earned
 * by a referral.
 */
export const postingReasons = ['grant', 'use', 'refund', 'referral'] as const

export type PostingReason = (typeof postingReasons)[number]

/** A change of a user’s credits, numbered from 1 without gaps, in ten digits. The row never changes. */
export const creditRows = entity({
  name: 'credit posting',
  pk: 'user#{userId}',
  sk: 'credit#{number}',
  // Set only for the first posting of each user, so that the index lists every ledger once.
  gsi1: { pk: 'ledgers#{shard}', sk: '{userId}' },
  schema: () =>
    z.object({
      at: z.string(),
      /** Millionths of a US dollar, negative for withdrawals and refunds. */
      microUsd: z.number(),
      /** The user’s balance after the posting. */
      balanceMicroUsd: z.number(),
      reason: z.enum(postingReasons),
      /** The id of the cause: an order, a payment, a usage event or a user. */
      ref: z.string(),
    }),
})

/** The number of index partitions of ledgers. */
export const ledgerShards = 16

export function ledgerPartition(shard: number): string {
  return `ledgers#${shard}`
}

/** Returns the index keys of a user's first posting. */
export function ledgerPlace(userId: string) {
  return { gsi1pk: ledgerPartition(shardOf(userId, ledgerShards)), gsi1sk: userId }
}

/** A reference, such as an order or a payment, whose credits were posted, so that repeats are detected. */
export const creditRefRows = entity({
  name: 'credit reference',
  pk: 'user#{userId}',
  sk: 'credit-ref#{reason}#{ref}',
  schema: () => z.object({ number: z.number() }),
})

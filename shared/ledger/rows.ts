import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'
import { shardOf } from '../platform/table/shard.ts'

/** Why a balance changed: credits given or bought, drawn by model calls, taken back with a payment, or earned. */
export const postingReasons = ['grant', 'use', 'refund', 'referral'] as const

export type PostingReason = (typeof postingReasons)[number]

/** One change of a user’s credits, numbered from 1 without gaps, in ten digits; it is never changed. */
export const creditRows = entity({
  name: 'credit posting',
  pk: 'user#{userId}',
  sk: 'credit#{number}',
  // The first of each user alone: so the index has every ledger once.
  gsi1: { pk: 'ledgers#{shard}', sk: '{userId}' },
  schema: () =>
    z.object({
      at: z.string(),
      /** Millionths of a US dollar, negative for what was drawn or taken back. */
      microUsd: z.number(),
      /** What the user had after it. */
      balanceMicroUsd: z.number(),
      reason: z.enum(postingReasons),
      /** What it was for: an order, a payment, a usage event, a user. */
      ref: z.string(),
    }),
})

/** Ledgers are spread over this many partitions of the index. */
export const ledgerShards = 16

export function ledgerPartition(shard: number): string {
  return `ledgers#${shard}`
}

/** The place of a user's first posting in the index of ledgers. */
export function ledgerPlace(userId: string) {
  return { gsi1pk: ledgerPartition(shardOf(userId, ledgerShards)), gsi1sk: userId }
}

/** That credits were posted for an order or a payment, so that no repeat posts them again. */
export const creditRefRows = entity({
  name: 'credit reference',
  pk: 'user#{userId}',
  sk: 'credit-ref#{reason}#{ref}',
  schema: () => z.object({ number: z.number() }),
})

import * as z from 'zod'
import { entity } from '../table/entity.ts'
import { shardOf } from '../table/shard.ts'

const digest = () => z.string().regex(/^[0-9a-f]{64}$/)

/** An audited change, written in the transaction of the change. It contains hashes of states, never states. */
export const auditRows = entity({
  name: 'audit entry',
  pk: 'user#{userId}',
  sk: 'audit#{place}',
  schema: () =>
    z.object({
      /** Starts at 1, without gaps, per user. */
      seq: z.int().positive(),
      /** ISO 8601. */
      at: z.string(),
      actor: z.string(),
      action: z.string(),
      target: z.string(),
      /** SHA-256 of the state's RFC 8785 JSON; null without a state. */
      before: digest().nullable(),
      after: digest().nullable(),
      requestId: z.string(),
      /** The hash of the previous entry. */
      previous: digest(),
      /** SHA-256 of the entry's RFC 8785 JSON without this field. */
      hash: digest(),
    }),
})

const placeDigits = 12

/** The greatest entry number. */
export const lastAuditSeq = 10 ** placeDigits - 1

/** Returns the sort key of an entry: its number, padded so that keys sort like numbers. */
export function auditSortKey(seq: number): string {
  return String(seq).padStart(placeDigits, '0')
}

/** The end of a user's chain of audit entries. Each transaction that adds an entry updates it. */
export const auditHeadRows = entity({
  name: 'audit head',
  pk: 'user#{userId}',
  sk: 'audit-head',
  gsi1: { pk: 'audit-heads#{shard}', sk: '{dueAt}#{userId}' },
  schema: () =>
    z.object({
      userId: z.string(),
      seq: z.int().positive(),
      hash: digest(),
      at: z.string(),
    }),
})

/** The number of partitions of the index that lists heads by their next publication. */
export const auditHeadShards = 8

/** @param dueAt the time of the head's next publication, ISO 8601 */
export function headIndexKey(userId: string, dueAt: string) {
  return { gsi1pk: headPartition(shardOf(userId, auditHeadShards)), gsi1sk: `${dueAt}#${userId}` }
}

export function headPartition(shard: number): string {
  return `audit-heads#${shard}`
}

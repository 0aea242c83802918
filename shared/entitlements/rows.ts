import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'
import { shardOf } from '../platform/table/shard.ts'

/** Users whom something is due for are spread over this many partitions of the index. */
export const entitlementShards = 16

export function entitlementPartition(shard: number): string {
  return `entitlements#${shard}`
}

/** The place in the index of a user who is to be looked at from `at` (ISO 8601) on. */
export function dueIndex(userId: string, at: string) {
  return {
    gsi1pk: entitlementPartition(shardOf(userId, entitlementShards)),
    gsi1sk: `${at}#${userId}`,
  }
}

/** What was made of a user’s paid access so far, and what they were told; in the index while something is due. */
export const entitlementRows = entity({
  name: 'entitlement',
  pk: 'user#{userId}',
  sk: 'entitlement',
  gsi1: { pk: 'entitlements#{shard}', sk: '{at}#{userId}' },
  schema: () =>
    z.object({
      userId: z.string(),
      /** Grows with each change of what the user pays for: what is noted here by then may be out of date. */
      asked: z.number().default(0),
      /** Every note raises it. */
      revision: z.number().default(0),
      /** The paid access that was last found, and since when: ISO 8601. */
      seen: z
        .object({ access: z.enum(['open', 'late', 'over', 'none']), since: z.string() })
        .optional(),
      /** The newest of each kind that they were told of, by its time: ISO 8601. */
      told: z
        .object({
          access: z.string().optional(),
          lapsed: z.string().optional(),
          resumed: z.string().optional(),
          deletion: z.string().optional(),
        })
        .optional(),
    }),
})

export type Entitlement = ReturnType<typeof entitlementRows.parse>
export type Told = NonNullable<Entitlement['told']>

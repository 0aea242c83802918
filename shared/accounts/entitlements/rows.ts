import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'

/** The index of users whose entitlements are due. */
export const usersDue = dueIndex('entitlements', 16)

/**
 * The applied paid access of a user, and the notifications sent. The row is in the index while work is due. It has no
 * lease: jobs may process a user concurrently, because each of their writes is conditional on the rows that they read.
 */
export const entitlementRows = entity({
  name: 'entitlement',
  pk: 'user#{userId}',
  sk: 'entitlement',
  gsi1: { pk: 'entitlements#{shard}', sk: '{due}#{userId}' },
  schema: () =>
    z.object({
      userId: z.string(),
      /** Increases with each change of the user's payments, which may make the other values of this row outdated. */
      asked: z.number().default(0),
      /** Increases with every write. */
      revision: z.number().default(0),
      /** The last paid access, and since when: ISO 8601. */
      seen: z
        .object({ access: z.enum(['open', 'late', 'over', 'none']), since: z.string() })
        .optional(),
      /** The time of the newest event of each kind that the user was notified of: ISO 8601. */
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
export type SentNotifications = NonNullable<Entitlement['told']>

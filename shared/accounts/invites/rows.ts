import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/** An invite code, stored as its SHA-256. Used codes are retained for 30 days. */
export const inviteRows = entity({
  name: 'invite code',
  pk: 'invite#{codeHash}',
  sk: 'invite',
  schema: () =>
    z.object({
      /** ISO 8601. */
      createdAt: z.string(),
      /** The `seed` of the request that used it. */
      usedBy: z.string().optional(),
    }),
})

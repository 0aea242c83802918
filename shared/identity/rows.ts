import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'

/** One change that the audit tells of, written in the transaction that made it: hashes of states, never states. */
export const auditRows = entity({
  name: 'audit entry',
  pk: 'user#{userId}',
  sk: 'audit#{entryId}',
  schema: () =>
    z.object({
      at: z.string(),
      actor: z.string(),
      action: z.string(),
      target: z.string(),
      before: z.string().nullable(),
      after: z.string().nullable(),
      requestId: z.string(),
    }),
})

import * as z from 'zod'
import { auditRows, lastAuditSeq } from '#shared/platform/identity/rows.ts'

export const auditQuery = z.object({
  /** The number of the last entry that the caller has; the response has the entries after it. */
  since: z
    .string()
    .regex(/^\d+$/, 'since must be a whole number from 0')
    .transform((text) => Math.min(Number(text), lastAuditSeq))
    .default(0),
})

/** contract.md 9, Audit: one line of the response. */
export const auditLine = auditRows.declared.schema().meta({ id: 'AuditEntry' })

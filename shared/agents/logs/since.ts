import * as z from 'zod'

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

const duration = /^(\d{1,6})([smhd])$/

const refusal = 'since must be a duration such as 10m, or an ISO 8601 time'

/** A time in a query, parsed to epoch milliseconds: a duration before now (`30s`, `10m`, `2h`, `7d`), or ISO 8601. */
export const sinceText = z
  .string()
  .max(40, refusal)
  .transform((text, { addIssue }) => {
    const at = timeOf(text)
    if (at !== undefined) return at
    addIssue(refusal)
    return z.NEVER
  })
  .optional()
  .describe('A duration before now, such as 10m, or an ISO 8601 time')

function timeOf(text: string): number | undefined {
  const [, count, unit] = duration.exec(text) ?? []
  if (unit !== undefined) return Math.max(0, Date.now() - Number(count) * unitMs[unit as 's'])
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  return at >= 0 ? at : undefined
}

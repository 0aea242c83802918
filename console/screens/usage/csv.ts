import type { UsageRow } from './totals.ts'

const columns = [
  'date',
  'agent_id',
  'agent_name',
  'model',
  'provider',
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'cost_usd',
  'turns',
  'unpriced',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
] as const satisfies (keyof UsageRow)[]

/** Writes rows as CSV (RFC 4180) with a header. Unknown values are empty. */
export function csvOf(rows: readonly UsageRow[]): string {
  const lines = [
    columns.join(','),
    ...rows.map((row) => columns.map((name) => field(row[name])).join(',')),
  ]
  return lines.map((line) => `${line}\r\n`).join('')
}

function field(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return plain(value)
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

/** Formats a number for programs: digits and a point, no exponent. */
export function plain(value: number): string {
  return value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 })
}

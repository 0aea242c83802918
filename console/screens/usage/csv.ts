import { csvOf } from '../../base/csv.ts'
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

/** Writes the rows of usage as CSV. */
export function usageCsv(rows: readonly UsageRow[]): string {
  return csvOf(columns, rows)
}

import type { UsageOfDayAgentAndModel } from '../../../clients/typescript/index.ts'

export type UsageRow = UsageOfDayAgentAndModel

/** The totals of rows. */
export interface Total {
  name: string
  /** USD of the calls with a known price. Null without such calls. */
  cost: number | null
  input: number
  output: number
  /** Tokens read from and written to a cache, parts of `input`. */
  cached: number
  /** Part of `output`. */
  reasoning: number
  tokens: number
  calls: number
  /** Calls with an unknown price. Null if the API does not report them. */
  unpriced: number | null
}

export type Dimension = 'model' | 'agent'

/** Returns the name of a row's model or agent. */
function nameOf(row: UsageRow, by: Dimension): string {
  if (by === 'model') return row.model
  if (row.agent_id === null) return 'Without an agent'
  return row.agent_name ?? `Deleted agent ${row.agent_id}`
}

/** Adds up rows. The cost is null if no row has a known one. */
export function total(name: string, rows: readonly UsageRow[]): Total & { unpriced: number } {
  const priced = rows.filter(({ cost_usd }) => cost_usd !== null)
  const sum = (of: (row: UsageRow) => number) => rows.reduce((before, row) => before + of(row), 0)
  return {
    name,
    cost: priced.length === 0 && rows.length > 0 ? null : sum(({ cost_usd }) => cost_usd ?? 0),
    input: sum(({ input_tokens }) => input_tokens),
    output: sum(({ output_tokens }) => output_tokens),
    cached: sum(cachedOf),
    reasoning: sum(({ reasoning_tokens }) => reasoning_tokens),
    tokens: sum(({ total_tokens }) => total_tokens),
    calls: sum(({ turns }) => turns),
    unpriced: sum(({ unpriced }) => unpriced),
  }
}

export function cachedOf(row: Pick<UsageRow, 'cache_read_tokens' | 'cache_write_tokens'>): number {
  return row.cache_read_tokens + row.cache_write_tokens
}

/** Returns the totals per model or agent, highest cost first. The same name with two ids stays separate. */
export function totalsBy(rows: readonly UsageRow[], by: Dimension): (Total & { id: string })[] {
  const groups = Map.groupBy(rows, (row) => idOf(row, by))
  return [...groups]
    .map(([id, of]) =>
      Object.assign(total(of[0] === undefined ? id : nameOf(of[0], by), of), { id }),
    )
    .sort((a, b) => (b.cost ?? -1) - (a.cost ?? -1) || b.tokens - a.tokens)
}

/** Returns the model or agent id of a row. */
export function idOf(row: UsageRow, by: Dimension): string {
  return by === 'model' ? row.model : (row.agent_id ?? '')
}

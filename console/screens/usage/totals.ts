import type { UsageOfDayAgentAndModel } from '../../../clients/typescript/index.ts'

export type UsageRow = UsageOfDayAgentAndModel

/** What rows add up to. */
export interface Total {
  name: string
  /** USD of the calls whose price is known; null where no price of any is. */
  cost: number | null
  input: number
  output: number
  tokens: number
  calls: number
  /** Calls whose price is not known; null where the API does not say. */
  unpriced: number | null
}

export type Dimension = 'model' | 'agent'

/** What a row counts to. */
export function nameOf(row: UsageRow, by: Dimension): string {
  if (by === 'model') return row.model
  if (row.agent_id === null) return 'Without an agent'
  return row.agent_name ?? `Deleted agent ${row.agent_id}`
}

/** What rows add up to; the cost is null where none of them has a known one. */
export function total(name: string, rows: readonly UsageRow[]): Total & { unpriced: number } {
  const known = rows.filter(({ cost_usd }) => cost_usd !== null)
  const sum = (of: (row: UsageRow) => number) => rows.reduce((before, row) => before + of(row), 0)
  return {
    name,
    cost: known.length === 0 && rows.length > 0 ? null : sum(({ cost_usd }) => cost_usd ?? 0),
    input: sum(({ input_tokens }) => input_tokens),
    output: sum(({ output_tokens }) => output_tokens),
    tokens: sum(({ total_tokens }) => total_tokens),
    calls: sum(({ turns }) => turns),
    unpriced: sum(({ unpriced }) => unpriced),
  }
}

/** What each model or agent adds up to, dearest first; those of one name but two ids stay apart. */
export function totalsBy(rows: readonly UsageRow[], by: Dimension): (Total & { id: string })[] {
  const groups = Map.groupBy(rows, (row) => idOf(row, by))
  return [...groups]
    .map(([id, of]) =>
      Object.assign(total(of[0] === undefined ? id : nameOf(of[0], by), of), { id }),
    )
    .sort((a, b) => (b.cost ?? -1) - (a.cost ?? -1) || b.tokens - a.tokens)
}

/** The model or the id of the agent that a row is of. */
export function idOf(row: UsageRow, by: Dimension): string {
  return by === 'model' ? row.model : (row.agent_id ?? '')
}

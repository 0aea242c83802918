import { cancelledAmong } from '#shared/ai/turns/cancel.ts'
import { turnCost } from '#shared/ai/turns/cost.ts'
import { type Turn, turnRows } from '#shared/ai/turns/rows.ts'
import { toTurn } from '#shared/ai/turns/turn.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import type { RunView } from './schema.ts'

/** The number of turns that are read; a user has far fewer active ones. */
const maxTurns = 200

/** Returns a user's last turns, newest first. */
export async function lastTurns(store: UserStore): Promise<Turn[]> {
  const beginsWith = turnRows.prefix()
  const { items } = await store.query({ beginsWith, descending: true, limit: maxTurns })
  return items.map((item) => toTurn(item))
}

/** Groups turns into runs: the members of a swarm, for example, are one run. */
export async function turnRuns(store: UserStore, turns: readonly Turn[]): Promise<RunView[]> {
  const active = turns.filter(({ state }) => state === 'active').map(({ id }) => id)
  const cancelled = await cancelledAmong(store, active)
  const groups = Map.groupBy(turns, ({ id, group }) => group ?? id)
  return [...groups].map(([id, members]) => viewOf(id, members, cancelled))
}

function viewOf(id: string, members: readonly Turn[], cancelled: ReadonlySet<string>): RunView {
  const [newest] = members
  if (newest === undefined) throw new TypeError('a run has a turn')
  const { kind, by } = newest
  return {
    id,
    kind,
    agentId: kind === 'swarm' ? null : newest.agentId,
    state: stateOf(members, cancelled),
    startedAt: members.map(({ startedAt }) => startedAt).sort()[0] ?? null,
    by,
    tokens: sumOf(members.map((turn) => turn.tokens ?? null)),
    costUsd: sumOf(members.map(turnCost)),
  }
}

/** Returns the sum, or null if a value is unknown. */
function sumOf(figures: readonly (number | null)[]): number | null {
  return figures.reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0)
}

function stateOf(members: readonly Turn[], cancelled: ReadonlySet<string>): RunView['state'] {
  const active = members.filter(({ state }) => state === 'active')
  if (active.length > 0) return active.some(({ id }) => cancelled.has(id)) ? 'cancelling' : 'active'
  const states = new Set(members.map(({ state }) => state))
  if (states.has('cancelled')) return 'cancelled'
  return states.has('finished') ? 'finished' : 'failed'
}

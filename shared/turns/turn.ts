import type { Item, Write } from '../platform/table/port.ts'
import type { UserStore } from '../platform/table/user-store.ts'
import { type Turn, turnRows } from './rows.ts'

const keptDays = 7

/** How long after its last sign of life a turn counts as lost. */
export const aliveMs = 45_000

/** What a turn's rows are named by: its question's id without the prefix. */
export function nameOf(id: string): string {
  return id.slice(id.indexOf('_') + 1)
}

export function expiryIn(days: number, now = Date.now()): number {
  return Math.ceil(now / 1000) + days * 86_400
}

export type NewTurn = Pick<Turn, 'id' | 'agentId' | 'kind' | 'by'> & {
  group?: string | undefined
  key?: Turn['key']
}

/** A turn that begins, for the transaction that keeps its question. */
export function beginWrite(
  store: UserStore,
  { group, key, ...turn }: NewTurn,
  now = Date.now(),
): Write {
  const row: Turn = {
    ...turn,
    ...(group !== undefined && { group }),
    ...(key !== undefined && { key }),
    state: 'active',
    startedAt: new Date(now).toISOString(),
    aliveUntil: now + aliveMs,
  }
  const attributes = turnRows.attributes(row, { expiresAt: expiryIn(keptDays, now) })
  return store.write.put(turnRows.sk({ name: nameOf(turn.id) }), attributes)
}

/** A user's turn by the id of its question; undefined where there is none, or it is no longer kept. */
export async function findTurn(store: UserStore, id: string): Promise<Turn | undefined> {
  const item = await store.get(turnRows.sk({ name: nameOf(id) }))
  return item && toTurn(item)
}

/** A turn whose process is gone has failed, although it could not say so. */
export function toTurn(item: Item, now = Date.now()): Turn {
  const turn = turnRows.parse(item)
  if (turn.state !== 'active' || turn.aliveUntil > now) return turn
  const error = { error: 'The turn was interrupted', code: 'AGENT_UNREACHABLE' }
  return { ...turn, state: 'failed', error, endedAt: new Date(turn.aliveUntil).toISOString() }
}

import type { Item, Write } from '#shared/platform/table/port.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { type Turn, turnRows } from './rows.ts'

const retentionDays = 7

/** A turn counts as lost this time after its last heartbeat. */
export const aliveMs = 45_000

/** Returns the name of a turn's rows: its question's id without the prefix. */
export function nameOf(id: string): string {
  return id.slice(id.indexOf('_') + 1)
}

/** Returns the time in a number of days, in epoch seconds. */
export function expiryIn(days: number, now = Date.now()): number {
  return Math.ceil(now / 1000) + days * 86_400
}

export type NewTurn = Pick<Turn, 'id' | 'agentId' | 'generation' | 'kind' | 'by'> & {
  group?: string | undefined
  key?: Turn['key']
  keyLimits?: Turn['keyLimits']
  mostDrawnMicroUsd?: number | undefined
}

/** Returns the write that starts a turn, for the transaction that stores its question. */
export function beginWrite(
  store: UserStore,
  { group, key, keyLimits, mostDrawnMicroUsd, ...turn }: NewTurn,
  now = Date.now(),
): Write {
  const row: Turn = {
    ...turn,
    ...(group !== undefined && { group }),
    ...(key !== undefined && { key }),
    ...(keyLimits !== undefined && { keyLimits }),
    ...(mostDrawnMicroUsd !== undefined && { mostDrawnMicroUsd, paidMicroUsd: 0, heldMicroUsd: 0 }),
    state: 'active',
    startedAt: isoOf(now),
    aliveUntil: now + aliveMs,
  }
  const attributes = turnRows.attributes(row, { expiresAt: expiryIn(retentionDays, now) })
  return store.write.put(turnRows.sk({ name: nameOf(turn.id) }), attributes)
}

/** Returns a user's turn by its question's id, or undefined if it does not exist or has expired. */
export async function findTurn(store: UserStore, id: string): Promise<Turn | undefined> {
  const item = await store.get(turnRows.sk({ name: nameOf(id) }))
  return item && toTurn(item)
}

/** Parses a turn. A turn whose process is lost counts as failed. */
export function toTurn(item: Item, now = Date.now()): Turn {
  const turn = turnRows.parse(item)
  if (turn.state !== 'active' || turn.aliveUntil > now) return turn
  const error = { error: 'The turn was interrupted', code: 'AGENT_UNREACHABLE' }
  return { ...turn, state: 'failed', error, endedAt: isoOf(turn.aliveUntil) }
}

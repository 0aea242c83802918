import { setTimeout as wait } from 'node:timers/promises'
import { everyItem } from '#shared/platform/table/pages.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { type Turn, turnPieceRows } from './rows.ts'
import { findTurn, nameOf } from './turn.ts'

const [firstWaitMs, longestWaitMs] = [100, 500]

/**
 * A part of a turn's answer with its number, or the ended turn; null means that the turn continues without a new part.
 */
export type FollowedPart = { n: number; piece: string } | { n: number; ended: Turn } | null

/**
 * Yields a turn's answer from a number on, even if another process runs the turn: the stored parts, then new ones, then
 * its end.
 * @param input.after the number of the reader's last part
 */
export async function* followTurn(
  store: UserStore,
  { id, after, signal }: { id: string; after: number; signal: AbortSignal },
): AsyncGenerator<FollowedPart, void> {
  const read = pieceReader(store, id)
  let position = after
  let waitMs = firstWaitMs
  while (!signal.aborted) {
    // Read before the parts: if the turn has ended, its stored parts are complete.
    const turn = await findTurn(store, id)
    if (turn === undefined) return
    let some = false
    for await (const [n, piece] of read()) {
      if (n <= position) continue
      yield { n, piece }
      position = n
      some = true
    }
    if (turn.state !== 'active') {
      yield { n: (turn.pieces ?? position) + 1, ended: turn }
      return
    }
    waitMs = some ? firstWaitMs : Math.min(longestWaitMs, waitMs * 1.5)
    if (!some) yield null
    await wait(waitMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Returns a function that reads the parts stored since its last call. */
function pieceReader(store: UserStore, id: string) {
  const name = nameOf(id)
  const placeOf = (first: number) =>
    turnPieceRows.sk({ name, place: String(first).padStart(8, '0') })
  let expected = 1
  return async function* (): AsyncGenerator<[n: number, piece: string], void> {
    const between: [string, string] = [placeOf(expected), `${turnPieceRows.prefix({ name })}~`]
    for await (const item of everyItem((from) => store.query({ between, ...from }))) {
      const { first, pieces } = turnPieceRows.parse(item)
      // A gap is a batch that could not be stored: later parts are sent only with the whole answer.
      if (first !== expected) return
      expected = first + pieces.length
      for (const [i, piece] of pieces.entries()) yield [first + i, piece]
    }
  }
}

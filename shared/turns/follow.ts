import { setTimeout as wait } from 'node:timers/promises'
import { everyItem } from '../platform/table/pages.ts'
import type { UserStore } from '../platform/table/user-store.ts'
import { type Turn, turnPieceRows } from './rows.ts'
import { findTurn, nameOf } from './turn.ts'

const [firstWaitMs, longestWaitMs] = [100, 500]

/** A piece of a turn's answer with its place, or the turn as it ended; null says that it goes on without a word. */
export type Followed = { n: number; piece: string } | { n: number; ended: Turn } | null

/**
 * A turn's answer from a place on, wherever the turn goes on: what is kept of it, then what comes, then its end.
 * @param input.after the place of the last piece that its reader has
 */
export async function* followTurn(
  store: UserStore,
  { id, after, signal }: { id: string; after: number; signal: AbortSignal },
): AsyncGenerator<Followed, void> {
  const read = pieceReader(store, id)
  let seen = after
  let waitMs = firstWaitMs
  while (!signal.aborted) {
    // Looked at first: what is kept of a turn that has ended is whole.
    const turn = await findTurn(store, id)
    if (turn === undefined) return
    let some = false
    for await (const [n, piece] of read()) {
      if (n <= seen) continue
      yield { n, piece }
      seen = n
      some = true
    }
    if (turn.state !== 'active') {
      yield { n: (turn.pieces ?? seen) + 1, ended: turn }
      return
    }
    waitMs = some ? firstWaitMs : Math.min(longestWaitMs, waitMs * 1.5)
    if (!some) yield null
    await wait(waitMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Reads the pieces that were kept since it was last called, from the first on. */
function pieceReader(store: UserStore, id: string) {
  const name = nameOf(id)
  const placeOf = (first: number) =>
    turnPieceRows.sk({ name, place: String(first).padStart(8, '0') })
  let expected = 1
  return async function* (): AsyncGenerator<[n: number, piece: string], void> {
    const between: [string, string] = [placeOf(expected), `${turnPieceRows.prefix({ name })}~`]
    for await (const item of everyItem((from) => store.query({ between, ...from }))) {
      const { first, pieces } = turnPieceRows.parse(item)
      // A gap is a batch that could not be kept: what follows it is left to the whole.
      if (first !== expected) return
      expected = first + pieces.length
      for (const [i, piece] of pieces.entries()) yield [first + i, piece]
    }
  }
}

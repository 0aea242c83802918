import type { Log } from '#shared/platform/log.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { turnPieceRows } from './rows.ts'
import { expiryIn, nameOf } from './turn.ts'

/** Parts are written in batches, by size or after this time. */
const maxBatch = { characters: 32_000, waitMs: 300 }

/** Beyond this size no parts are stored: a returning reader gets the whole answer at the end. */
const maxCharacters = 1_000_000

const retentionDays = 1

/** Stores the parts of a streamed answer for other processes. */
export interface Journal {
  /** @returns the part's number, from 1 */
  add(piece: string): number
  /**
   * Resolves when all added parts are stored.
   * @returns the number of parts
   */
  settled(): Promise<number>
}

/** Opens the journal of a turn, which stores its answer in parts while it arrives. */
export function openJournal(
  { store, log }: { store: UserStore; log: Log },
  { id }: { id: string },
): Journal {
  const name = nameOf(id)
  let count = 0
  let characters = 0
  let waiting: { first: number; pieces: string[]; characters: number } | undefined
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const batch = waiting
    if (batch === undefined) return
    waiting = undefined
    const { first, pieces } = batch
    const row = turnPieceRows.attributes({ first, pieces }, { expiresAt: expiryIn(retentionDays) })
    const sk = turnPieceRows.sk({ name, place: String(first).padStart(8, '0') })
    writing = writing
      .then(() => store.put(sk, row))
      // The turn continues after a failed write: its reader has the part, and a returning reader gets the whole answer
      // at the end.
      .catch((error: unknown) =>
        log.warn('parts of an answer were not stored', { turn: id, error }),
      )
  }

  return {
    add(piece) {
      count += 1
      characters += piece.length
      if (characters > maxCharacters) return count
      waiting ??= { first: count, pieces: [], characters: 0 }
      waiting.pieces.push(piece.toWellFormed())
      waiting.characters += piece.length
      if (waiting.characters >= maxBatch.characters) flush()
      else timer ??= setTimeout(flush, maxBatch.waitMs)
      return count
    },
    async settled() {
      flush()
      await writing
      return count
    },
  }
}

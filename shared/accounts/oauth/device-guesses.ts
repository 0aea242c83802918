import type { Table } from '#shared/platform/table/port.ts'
import { addTime, removeTime } from '#shared/platform/table/recent-times.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { guessRows } from './rows.ts'

/** contract.md 12. */
const most = 10
const windowMs = 600_000

/**
 * Counts an entered code as wrong before it is checked, so that concurrent guesses count too.
 * @returns a function that takes the count back
 * @throws PlatformError 429 after too many within ten minutes
 */
export async function countGuess(
  table: Table,
  userId: string,
  now = Date.now(),
): Promise<() => Promise<void>> {
  const row = userStore(table, userId).row(guessRows.sk({}))
  const guesses = { row, parse: guessRows.parse, windowMs }
  await addTime(guesses, { most, refusal: 'Too many wrong codes; try again later', now })
  return () => removeTime(guesses, now)
}

import { dayOf } from '#shared/platform/days.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Item, Write } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import type { SnapshotContent } from './content.ts'
import { restoredRows } from './rows.ts'

/** The rows that imports, duplicates and restores may write for one user per day in UTC: contract.md 20. */
export const rowsPerDay = 100_000

const daySeconds = 86_400

/** Returns the number of rows of a content: the agent and its data. The limits of a content keep it below a day's limit. */
export function rowsIn({
  notes,
  skills,
  tasks,
  messages,
}: Pick<SnapshotContent, 'notes' | 'skills' | 'tasks' | 'messages'>): number {
  return 1 + notes.length + skills.length + tasks.length + messages.length
}

/**
 * Returns the write that counts rows before they are written, for the transaction that claims the work. It is rejected
 * beyond the limit.
 */
export function countRows(userId: string, rows: number, now: number): Write {
  return {
    update: restoredRows.key({ userId, date: dayOf(now) }),
    add: { rows },
    set: { expiresAt: epochSeconds(now) + 2 * daySeconds },
    if: 'attribute_not_exists(#rows) OR #rows <= :most',
    values: { most: rowsPerDay - rows },
  }
}

/**
 * Returns the error of a rejected count.
 * @param item the row that rejected the write
 */
export function rowsRefused(item: Item | undefined, now: number): PlatformError {
  const used = item === undefined ? 0 : restoredRows.parse(item).rows
  const resetsAt = new Date(Date.parse(dayOf(now)) + 1000 * daySeconds)
  return new PlatformError(
    'too-many-requests',
    `Imports, duplicates and restores can write at most ${rowsPerDay} rows a day: ${used} were written. The limit resets at ${resetsAt.toISOString()}.`,
    {
      code: 'IMPORT_LIMIT_REACHED',
      details: { limit: rowsPerDay, used, resetsAt: resetsAt.toISOString() },
      headers: { 'Retry-After': String(Math.ceil((resetsAt.getTime() - now) / 1000)) },
    },
  )
}

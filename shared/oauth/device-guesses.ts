import { PlatformError } from '../platform/errors.ts'
import { changeItem } from '../platform/table/change-item.ts'
import type { Table } from '../platform/table/port.ts'
import { absent } from '../platform/table/present.ts'
import { userStore } from '../platform/table/user-store.ts'
import { guessRows } from './rows.ts'

/** contract.md 12. */
const most = 10
const windowMs = 600_000

/**
 * Counts a code that a user enters as a wrong one, from its first moment, so that guesses sent all at once count too.
 * @returns what takes the count back
 * @throws PlatformError 429 once there were too many in ten minutes
 */
export async function countGuess(
  table: Table,
  userId: string,
  now = Date.now(),
): Promise<() => Promise<void>> {
  await change(table, userId, (times) => {
    const recent = times.filter((time) => time > now - windowMs)
    const [oldest = now] = recent
    if (recent.length >= most) throw tooMany(Math.ceil((oldest + windowMs - now) / 1000))
    return [...recent, now]
  })
  return () =>
    change(table, userId, (times) => {
      const at = times.indexOf(now)
      return at < 0 ? times : times.toSpliced(at, 1)
    })
}

async function change(
  table: Table,
  userId: string,
  next: (times: number[]) => number[],
): Promise<void> {
  await changeItem(userStore(table, userId).row(guessRows.sk({})), (item) => {
    const seen = item && guessRows.parse(item)
    const times = next(seen?.times ?? [])
    const version = (seen?.version ?? 0) + 1
    const expiresAt = Math.ceil((Date.now() + windowMs) / 1000)
    return {
      update: {
        set: { times, version, expiresAt },
        ...(seen === undefined
          ? absent()
          : { if: '#version = :seen', values: { seen: seen.version } }),
      },
    }
  })
}

function tooMany(seconds: number): PlatformError {
  return new PlatformError('too-many-requests', 'Too many wrong codes; try again later', {
    headers: { 'Retry-After': String(Math.max(1, seconds)) },
  })
}

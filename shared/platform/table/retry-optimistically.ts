import { setTimeout as wait } from 'node:timers/promises'
import { PlatformError } from '../errors.ts'

/** The result of a round whose writes were refused because of a concurrent writer. */
export const overtaken = Symbol('overtaken')

/**
 * The maximum number of rounds. Each failed round means that another writer succeeded, so a row with so many conflicts
 * is overloaded.
 */
const maxRounds = 100

/** The longest pause between two rounds, in milliseconds. */
const longestPause = 200

/**
 * Repeats a round until its writes are not refused because of concurrent writers. The second round starts without a
 * pause, because the first one may have used an assumed row. Each later round waits first, for an increasing time with
 * jitter (AWS Builders' Library, Timeouts, retries and backoff with jitter).
 * @param round reads, decides and writes on condition that the rows have not changed since; it returns `overtaken` if
 * the condition failed
 * @returns the first result that is not `overtaken`
 * @throws any error of `round`; PlatformError 503 with Retry-After if every round was overtaken
 */
export async function retryOptimistically<T>(
  round: () => Promise<T | typeof overtaken>,
): Promise<T> {
  for (let failed = 0; failed < maxRounds; failed++) {
    if (failed > 1) await wait(Math.random() * Math.min(longestPause, 4 * 2 ** failed))
    const result = await round()
    if (result !== overtaken) return result
  }
  throw tooManyWrites()
}

/** Returns the error 503 for a write that always conflicted with other writers. */
export function tooManyWrites(cause?: unknown): PlatformError {
  return new PlatformError('unavailable', 'Too many concurrent writes; try again', {
    headers: { 'Retry-After': '1' },
    cause,
  })
}

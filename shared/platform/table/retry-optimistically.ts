import { setTimeout as wait } from 'node:timers/promises'
import { PlatformError } from '../errors.ts'

/** The result of a round whose writes were refused because another writer came first. */
export const overtaken = Symbol('overtaken')

/** Each failed round means that another writer succeeded. Rows with this many conflicts are overloaded. */
const maxRounds = 100

/** The longest pause between two rounds, in milliseconds. */
const longestPause = 200

/**
 * Repeats a round while other writers overtake its writes. The second round starts without a pause, because the first
 * one may have started from a guess. Each later round waits first, for a growing time with jitter (AWS Builders'
 * Library, Timeouts, retries and backoff with jitter).
 * @param round reads, decides and writes on condition that what it read has not changed; it returns `overtaken` if the
 * condition failed
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

/** 503 for a write that other writers overtook again and again. */
export function tooManyWrites(cause?: unknown): PlatformError {
  return new PlatformError('unavailable', 'Too many concurrent writes; try again', {
    headers: { 'Retry-After': '1' },
    cause,
  })
}

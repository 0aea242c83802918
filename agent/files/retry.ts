import { setTimeout as delay } from 'node:timers/promises'

/** A request failed for a reason that will not change soon. */
export class FilesError extends Error {
  override name = 'FilesError'
  /** The platform's code, such as FILES_CHANGED. */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The link of a pack is no longer valid. */
export class LinkExpired extends Error {
  override name = 'LinkExpired'
}

/** The platform accepts no more requests for a while. */
export class Throttled extends Error {
  override name = 'Throttled'
  readonly pauseMs: number

  constructor(pauseMs: number) {
    super('the platform accepts no more requests now')
    this.pauseMs = pauseMs
  }
}

const firstPauseMs = 200
const longestPauseMs = 5000
const longestThrottleMs = 60_000

/**
 * Repeats a request that fails for a temporary reason, with growing random pauses.
 * @param attempts the number of attempts, which can change in the meantime
 * @throws FilesError and LinkExpired at once, and any error of the last attempt
 */
export async function withRetries<T>(
  attempts: () => number,
  request: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1, pauseMs = firstPauseMs; ; attempt++) {
    let leastMs = 0
    try {
      return await request()
    } catch (error) {
      if (error instanceof FilesError || error instanceof LinkExpired || attempt >= attempts())
        throw error
      if (error instanceof Throttled) leastMs = Math.min(error.pauseMs, longestThrottleMs)
    }
    // Random, so that agents that failed together do not retry together.
    await delay(leastMs + pauseMs * (0.5 + Math.random()))
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }
}

/** Describes an error in one line. fetch hides the reason in `cause`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

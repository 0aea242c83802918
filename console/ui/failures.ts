/** Functions that retry the failed loads of the page. */
const failed = new Set<() => void>()

/** The errors of failed loads. */
const causes = new WeakSet<object>()

let retries = 0

/**
 * Returns the number of retries of the page. A part that fails later compares it to find out whether the last retry
 * included it.
 */
export function retryCount(): number {
  return retries
}

/**
 * Adds a failed load to those that are retried when the browser is online.
 * @param again retries it
 */
export function addFailure(error: unknown, again: () => void): void {
  failed.add(again)
  if (typeof error === 'object' && error !== null) causes.add(error)
}

/** Removes a load that succeeded or is no longer needed. */
export function forgetFailure(again: () => void): void {
  failed.delete(again)
}

/** Returns whether the error comes from a load, so that a retry can help. */
export function isOfLoading(error: unknown): boolean {
  return typeof error === 'object' && error !== null && causes.has(error)
}

/** Retries all failed loads of the page. */
export function retryFailed(): void {
  retries++
  for (const again of failed) again()
}

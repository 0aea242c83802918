import { PlatformError } from './errors.ts'

/** The longest wait that the client accepts before a retry, in milliseconds. */
const longestMs = 60_000

/**
 * Returns how long to wait before the next retry.
 * @param tries how many retries came before
 * @returns milliseconds; undefined if a retry would not help
 */
export function retryDelay(error: unknown, tries: number): number | undefined {
  if (!(error instanceof PlatformError) || !mayHelp(error)) return undefined
  const requested = requestedDelay(error.headers)
  if (requested !== undefined) return requested <= longestMs ? requested : undefined
  return backOff(tries, 8000)
}

/** Exponential backoff: 500 ms, doubled on each retry, minus up to 25 % at random so that clients spread out. */
export function backOff(tries: number, maxMs: number): number {
  return Math.min(maxMs, 500 * 2 ** tries) * (1 - Math.random() / 4)
}

function mayHelp({ status, code, details, headers }: PlatformError): boolean {
  const requested = headers?.get('x-should-retry')
  if (requested) return requested === 'true'
  if (status === undefined || status === 408 || status === 429) return true
  if (status === 409) return code === 'IDEMPOTENCY_IN_PROGRESS'
  // A missing setting or an unimplemented feature will not change within seconds.
  return status >= 500 && status !== 501 && details.missing === undefined
}

/** Returns the delay that the platform asks for, in milliseconds. */
function requestedDelay(headers: Headers | undefined): number | undefined {
  const milliseconds = Number(headers?.get('retry-after-ms') || Number.NaN)
  if (milliseconds >= 0) return milliseconds
  const after = headers?.get('retry-after') ?? headers?.get('ratelimit-reset')
  if (!after) return undefined
  const seconds = Number(after)
  const wait = seconds >= 0 ? seconds * 1000 : Date.parse(after) - Date.now()
  return wait >= 0 ? wait : undefined
}

/** Waits, and stops early if the signal aborts. @throws the signal's reason after an abort */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}

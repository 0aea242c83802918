import { ConnectionError, PlatformError } from '../../../../clients/typescript/index.ts'

/** Whether it was the line that failed, or something on the way, and not what was asked. */
export function isLost(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof PlatformError)) return false
  const { status = 0, code } = error
  return status === 408 || status === 429 || (status >= 500 && code === undefined)
}

/** Waits; a browser that is back online, or the signal's abort, ends that early. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController()
    const end = () => {
      clearTimeout(timer)
      over.abort()
      resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end, { signal: over.signal })
    signal.addEventListener('abort', end, { signal: over.signal })
    if (signal.aborted) end()
  })
}

/** Once the tab is seen, or the signal is aborted. */
export function whenSeen(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController()
    const look = () => {
      if (document.hidden && !signal.aborted) return
      over.abort()
      resolve()
    }
    document.addEventListener('visibilitychange', look, { signal: over.signal })
    signal.addEventListener('abort', look, { signal: over.signal })
    look()
  })
}

import { ConnectionError, PlatformError } from '../../../../clients/typescript/core/errors.ts'

/** Returns whether the connection or a proxy failed, and not the request itself. */
export function isLost(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof PlatformError)) return false
  const { status = 0, code } = error
  return status === 408 || status === 429 || (status >= 500 && code === undefined)
}

/** Waits. Ends early if the browser is back online or the signal is aborted. */
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

/** Resolves when the tab is visible or the signal is aborted. */
export function whenVisible(signal: AbortSignal): Promise<void> {
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

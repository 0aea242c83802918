import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { user } from '../base/session.ts'
import { startLoader } from './loader.ts'

export interface Loaded<T> {
  data: T | undefined
  error: unknown
  /** Loads again immediately, or after the current request. */
  reload(): void
  /** Shows data before the platform returns it. */
  set(data: T): void
}

/**
 * Loads data for a screen and polls it while its tab is visible. If several tabs show the same data, one loads it for
 * all.
 * @param key identifies the data; another value drops the old data
 * @param every returns the milliseconds until the next load; undefined for never
 */
export function useLoad<T>(
  key: string,
  ask: (signal: AbortSignal) => Promise<T>,
  every?: (data: T) => number | undefined,
): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: unknown }>({ key })
  const latest = useRef({ ask, every })
  latest.current = { ask, every }
  const restart = useRef(() => {})

  useEffect(() => {
    const ended = new AbortController()
    const isPolled = latest.current.every !== undefined
    restart.current = startLoader<T>(ended.signal, {
      name: isPolled ? `live ${user.value?.id ?? ''} ${key}` : undefined,
      ask: (signal) => latest.current.ask(signal),
      show(data) {
        setState({ key, data })
        return latest.current.every?.(data)
      },
      fail: (error) => setState((before) => ({ ...before, key, error })),
    })
    return () => ended.abort()
  }, [key])

  const current = state.key === key ? state : { key }
  return {
    data: current.data,
    error: current.error,
    reload: useCallback(() => restart.current(), []),
    set: useCallback((data: T) => setState({ key, data }), [key]),
  }
}

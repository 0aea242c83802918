import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { heed } from '../app/session.ts'

export interface Loaded<T> {
  data: T | undefined
  error: unknown
  /** Asks again at once. */
  reload(): void
  /** Shows something before the platform says it. */
  set(data: T): void
}

/**
 * What a screen shows, asked for once and then every so often while its tab is seen.
 * @param key what the answer is about: another one forgets it
 * @param every milliseconds until it is asked for again, by what was answered; undefined for never
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
    let timer: number | undefined
    let asking = false
    const look = async () => {
      clearTimeout(timer)
      if (asking || ended.signal.aborted) return
      asking = true
      let wait: number | undefined
      try {
        const data = await latest.current.ask(ended.signal)
        if (ended.signal.aborted) return
        setState({ key, data })
        wait = latest.current.every?.(data)
      } catch (error) {
        if (ended.signal.aborted) return
        heed(error)
        setState((before) => ({ ...before, key, error }))
        wait = latest.current.every === undefined ? undefined : 10_000
      } finally {
        asking = false
      }
      if (wait !== undefined && !document.hidden) timer = setTimeout(() => void look(), wait)
    }
    const seen = () => {
      if (document.hidden) clearTimeout(timer)
      else if (latest.current.every !== undefined) void look()
    }
    restart.current = () => void look()
    document.addEventListener('visibilitychange', seen)
    void look()
    return () => {
      ended.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', seen)
    }
  }, [key])

  const current = state.key === key ? state : { key }
  return {
    data: current.data,
    error: current.error,
    reload: useCallback(() => restart.current(), []),
    set: useCallback((data: T) => setState({ key, data }), [key]),
  }
}

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { leaveIfSignedOut, user } from '../base/session.ts'
import { forgetFailure, addFailure, retryCount } from './failures.ts'
import { leadOneTab } from './lead-one-tab.ts'

export interface Loaded<T> {
  data: T | undefined
  error: unknown
  /** Loads again at once, or after the current request. */
  reload(): void
  /** Shows data before the platform returns it. */
  set(data: T): void
}

/**
 * Loads data for a screen and polls it while its tab is visible. If several tabs show the same data, one loads it for
 * all.
 * @param key identifies the data; another value drops the old data
 * @param every milliseconds until the next load, given the data; undefined for never
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
    const name = `live ${user.value?.id ?? ''} ${key}`
    const tabs = isPolled ? new BroadcastChannel(name) : undefined
    let timer: number | undefined
    let wait: number | undefined
    let isLeading = false
    let asking = false
    let isAskedMeanwhile = false
    const plan = () => {
      clearTimeout(timer)
      if (isLeading && wait !== undefined) timer = setTimeout(() => void look(), wait)
    }
    const show = (data: T) => {
      forgetFailure(again)
      setState({ key, data })
      wait = latest.current.every?.(data)
    }
    /** The response of the current request may be older than the latest change, so another request follows. */
    const again = () => {
      isAskedMeanwhile = asking
      void look()
    }
    const look = async () => {
      clearTimeout(timer)
      if (asking || ended.signal.aborted) return
      asking = true
      const asked = retryCount()
      try {
        const data = await latest.current.ask(ended.signal)
        if (ended.signal.aborted) return
        show(data)
        tabs?.postMessage(data)
      } catch (error) {
        if (ended.signal.aborted) return
        leaveIfSignedOut(error)
        addFailure(error, again)
        isAskedMeanwhile ||= retryCount() > asked
        setState((before) => ({ ...before, key, error }))
        wait = isPolled ? 10_000 : undefined
      } finally {
        asking = false
      }
      if (isAskedMeanwhile) again()
      else plan()
    }
    restart.current = again
    tabs?.addEventListener('message', ({ data }: MessageEvent<T>) => show(data))
    const onVisible = () => document.hidden || void look()
    if (isPolled) document.addEventListener('visibilitychange', onVisible, { signal: ended.signal })
    const leave = isPolled
      ? leadOneTab(name, () => {
          isLeading = true
          plan()
          return () => {
            isLeading = false
            clearTimeout(timer)
          }
        })
      : undefined
    void look()
    return () => {
      ended.abort()
      forgetFailure(again)
      leave?.()
      tabs?.close()
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

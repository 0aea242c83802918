import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { InputError } from '../base/words.ts'
import { forgetFailure, addFailure } from './failures.ts'

/** A part of the console in its own files. */
export type Load<Props> = () => Promise<{ default: ComponentType<Props> }>

/**
 * Loads a part of the console when it is first shown.
 * @returns the component, or the error for Fault; neither while it is loading
 */
export function useLazy<Props>(load: Load<Props>): {
  Content?: ComponentType<Props> | undefined
  error?: unknown
} {
  const [state, setState] = useState<{
    load: Load<Props>
    Content?: ComponentType<Props>
    error?: unknown
  }>()

  useEffect(() => {
    let isCurrent = true
    const attempt = async (mayReload: () => boolean) => {
      try {
        const { default: Content } = await load()
        forgetFailure(again)
        if (isCurrent) setState({ load, Content })
      } catch {
        if (!isCurrent) return
        // A deployment may have replaced the file; a reloaded page knows its new name. If the browser is offline, it
        // does not reload, because it would lose the page.
        if (navigator.onLine && mayReload()) {
          location.reload()
          return
        }
        const error = new InputError(
          'This could not be loaded. Check your connection and try again.',
        )
        addFailure(error, again)
        setState({ load, error })
      }
    }
    const again = () => void attempt(() => true)
    void attempt(isFirstInAWhile)
    return () => {
      isCurrent = false
      forgetFailure(again)
    }
  }, [load])

  return state?.load === load ? { Content: state.Content, error: state.error } : {}
}

/** Prevents an endless loop of reloads. */
function isFirstInAWhile(): boolean {
  const key = 'reloaded'
  const last = Number(sessionStorage.getItem(key))
  if (Math.abs(Date.now() - last) < 60_000) return false
  sessionStorage.setItem(key, String(Date.now()))
  return true
}

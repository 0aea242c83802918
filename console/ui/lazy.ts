import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { InputError } from '../app/words.ts'
import { forgetFailure, noteFailure } from './failures.ts'

/** A part of the console that has files of its own. */
export type Load<Props> = () => Promise<{ default: ComponentType<Props> }>

/**
 * A part of the console, loaded when it is first shown.
 * @returns neither while it is on its way; the error is for Fault
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
        // A deployment may have replaced the file: the new page knows the new name. Without a line there is no new page.
        if (navigator.onLine && mayReload()) {
          location.reload()
          return
        }
        const error = new InputError(
          'This could not be loaded. Check your connection and try again.',
        )
        noteFailure(error, again)
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

/** So that no fault reloads the page for ever. */
function isFirstInAWhile(): boolean {
  const key = 'reloaded'
  const last = Number(sessionStorage.getItem(key))
  if (Math.abs(Date.now() - last) < 60_000) return false
  sessionStorage.setItem(key, String(Date.now()))
  return true
}

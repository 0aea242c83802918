import { useRef, useState } from 'preact/hooks'
import { leaveIfSignedOut } from '../base/session.ts'

export interface Attempt {
  /** The name of the current action. Undefined while idle. */
  busy: string | undefined
  /** The error of the last action. */
  error: unknown
  /** Sets an error without an action. Undefined removes it. */
  setError(error: unknown): void
  /**
   * Runs an action unless another one is running.
   * @param name identifies the action in `busy`
   */
  attempt(work: () => Promise<unknown>, name?: string): Promise<void>
}

/**
 * Runs the actions of buttons, one at a time, and keeps their errors. Redirects to the sign-in page if the session has
 * ended.
 */
export function useAttempt(): Attempt {
  // The second of two quick clicks comes before the first one is rendered.
  const isBusy = useRef(false)
  const [busy, setBusy] = useState<string>()
  const [error, setError] = useState<unknown>()

  async function attempt(work: () => Promise<unknown>, name = 'it') {
    if (isBusy.current) return
    isBusy.current = true
    setBusy(name)
    setError(undefined)
    try {
      await work()
    } catch (error) {
      leaveIfSignedOut(error)
      setError(error)
    } finally {
      isBusy.current = false
      setBusy(undefined)
    }
  }

  return { busy, error, setError, attempt }
}

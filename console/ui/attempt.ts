import { useRef, useState } from 'preact/hooks'
import { leaveIfSignedOut } from '../app/session.ts'

export interface Attempt {
  /** The name of what is under way; undefined for nothing. */
  busy: string | undefined
  /** What the last attempt failed with. */
  error: unknown
  /** Says what went wrong without an attempt; undefined for nothing any more. */
  setError(error: unknown): void
  /** Does something that the person asked for, unless something else is still under way. @param name tells several apart in `busy` */
  attempt(work: () => Promise<unknown>, name?: string): Promise<void>
}

/** What a person asks for by a button: once at a time, with what went wrong. Who is no longer signed in is led to the sign-in. */
export function useAttempt(): Attempt {
  // Of two clicks at once, the second comes before the first is drawn.
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

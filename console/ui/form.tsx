import { useEffect, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { leaveIfSignedOut, user } from '../app/session.ts'
import { restoreWriting } from '../app/written.ts'
import { Fault } from './fault.tsx'

interface FormProps {
  /** Of the button that sends it. */
  action: string
  /** Gets what was filled in, as text by name. */
  onSend(values: Record<string, string>): Promise<void>
  /** A fault of before. */
  fault?: string | undefined
  children: ComponentChildren
  /** Stands beside the button. */
  aside?: ComponentChildren
  class?: string
  /** What it does cannot be undone. */
  danger?: boolean
}

/** A form that is sent by its button or by Enter, once at a time, and says above the button what went wrong. */
export function Form({ action, onSend, fault, children, aside, danger, ...rest }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()

  useEffect(() => setError(fault), [fault])

  useEffect(() => {
    void restoreWriting(form.current, user.value?.id)
  }, [])

  async function send(event: SubmitEvent) {
    event.preventDefault()
    if (busy || !(event.currentTarget instanceof HTMLFormElement)) return
    const values: Record<string, string> = {}
    for (const [name, value] of new FormData(event.currentTarget))
      if (typeof value === 'string') values[name] = value
    setBusy(true)
    setError(undefined)
    try {
      await onSend(values)
    } catch (error) {
      leaveIfSignedOut(error)
      setError(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form ref={form} class={`form ${rest.class ?? ''}`} onSubmit={send} noValidate>
      {children}
      <Fault error={error} />
      <div class="form-end">
        <button
          type="submit"
          class={`button ${danger ? 'danger' : 'primary'}`}
          aria-disabled={busy}
          data-busy={busy}
        >
          {action}
        </button>
        {aside}
      </div>
    </form>
  )
}

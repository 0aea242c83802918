import { useEffect, useRef } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { user } from '../app/session.ts'
import { restoreWriting } from '../app/written.ts'
import { useAttempt } from './attempt.ts'
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
  const { busy, error, setError, attempt } = useAttempt()

  useEffect(() => setError(fault), [fault, setError])

  useEffect(() => {
    void restoreWriting(form.current, user.value?.id)
  }, [])

  async function send(event: SubmitEvent) {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const values: Record<string, string> = {}
    for (const [name, value] of new FormData(event.currentTarget))
      if (typeof value === 'string') values[name] = value
    await attempt(() => onSend(values))
  }

  return (
    <form ref={form} class={`form ${rest.class ?? ''}`} onSubmit={send} noValidate>
      {children}
      <Fault error={error} />
      <div class="form-end">
        <button
          type="submit"
          class={`button ${danger ? 'danger' : 'primary'}`}
          aria-disabled={busy !== undefined}
          data-busy={busy !== undefined}
        >
          {action}
        </button>
        {aside}
      </div>
    </form>
  )
}

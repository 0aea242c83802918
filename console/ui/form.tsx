import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { restoreForms } from '../base/form-storage.ts'
import { user } from '../base/session.ts'
import { useAttempt } from './attempt.ts'
import { Fault } from './fault.tsx'

interface FormProps {
  /** The label of the submit button. */
  action: string
  /** Receives the values of the fields, by name. */
  onSend(values: Record<string, string>): Promise<void>
  /** An earlier error. */
  fault?: string | undefined
  children: ComponentChildren
  /** Shown beside the button. */
  aside?: ComponentChildren
  class?: string
  /** The action cannot be undone. */
  danger?: boolean
  /**
   * True if the form replaces a form that was sent. The focus, which was in the replaced form, then moves to the first
   * field.
   */
  again?: boolean
}

/** A form that is submitted once at a time and shows its error above the button. */
export function Form({
  action,
  onSend,
  fault,
  children,
  aside,
  danger,
  again,
  ...rest
}: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const { busy, error, setError, attempt } = useAttempt()

  useEffect(() => setError(fault), [fault, setError])

  useEffect(() => {
    void restoreForms(form.current, user.value?.id)
  }, [])

  useEffect(() => {
    if (again) form.current?.querySelector<HTMLElement>('input, textarea')?.focus()
  }, [again])

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

import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { leaveIfSignedOut } from '../app/session.ts'
import { Fault } from './fault.tsx'

interface ConfirmProps {
  /** Of the button that asks and of the one that does it. */
  action: string
  question: string
  children: ComponentChildren
  class?: string
  disabled?: boolean
  onConfirm(): Promise<void>
  /** What stands in the button that asks, when not its name alone. */
  face?: ComponentChildren
}

/** A button whose deed interrupts or destroys something, and therefore asks in a dialog first. */
export function Confirm(props: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const title = useId()

  async function confirm() {
    if (busy) return
    setBusy(true)
    setError(undefined)
    try {
      await props.onConfirm()
      dialog.current?.close()
    } catch (error) {
      leaveIfSignedOut(error)
      setError(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      <button
        type="button"
        class={`button ${props.class ?? ''}`}
        disabled={props.disabled}
        onClick={() => {
          setError(undefined)
          dialog.current?.showModal()
        }}
      >
        {props.face ?? props.action}
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby={title}>
        <h2 id={title}>{props.question}</h2>
        <p>{props.children}</p>
        <Fault error={error} />
        <div class="dialog-end">
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="button" class="button danger" aria-disabled={busy} onClick={confirm}>
            {props.action}
          </button>
        </div>
      </dialog>
    </>
  )
}

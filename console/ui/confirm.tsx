import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { useAttempt } from './attempt.ts'
import { Fault } from './fault.tsx'

interface ConfirmProps {
  /** The label of both buttons: the one that opens the dialog and the one that confirms. */
  action: string
  question: string
  children: ComponentChildren
  class?: string
  disabled?: boolean
  onConfirm(): Promise<void>
  /** The content of the first button. Default: the label. */
  face?: ComponentChildren
}

/** A button for a destructive action, which asks for confirmation in a dialog. */
export function Confirm(props: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const { busy, error, setError, attempt } = useAttempt()
  const title = useId()

  const confirm = () =>
    attempt(async () => {
      await props.onConfirm()
      dialog.current?.close()
    })

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
          <button
            type="button"
            class="button danger"
            aria-disabled={busy !== undefined}
            onClick={confirm}
          >
            {props.action}
          </button>
        </div>
      </dialog>
    </>
  )
}

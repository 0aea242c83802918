import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface OpenedProps {
  title: string
  class?: string
  onClose(): void
  children: ComponentChildren
}

/** A dialog that is open while it is rendered. */
export function Opened({ title, onClose, children, ...rest }: OpenedProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      class={`dialog ${rest.class ?? ''}`}
      aria-labelledby={id}
      onClose={onClose}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

/** The button that closes the dialog around it. */
export function CloseButton({ action }: { action: string }) {
  return (
    <button
      type="button"
      class="button"
      onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}
    >
      {action}
    </button>
  )
}

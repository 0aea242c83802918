import { useId } from 'preact/hooks'
import type { ComponentChildren } from 'preact'

export interface Common {
  label: string
  /** What helps to fill it in. */
  hint?: string | undefined
}

/** What inputs of one and of several lines have in common. */
export interface Written extends Common {
  name?: string
  autocomplete?: string
  required?: boolean
  maxLength?: number
  placeholder?: string
  defaultValue?: string
}

interface InputProps extends Written {
  type?: 'email' | 'password' | 'search' | 'text'
  inputMode?: 'decimal' | 'numeric'
  readOnly?: boolean
  value?: string
  onInput?(event: { currentTarget: HTMLInputElement }): void
}

/** An input with its name above it, and what helps to fill it in below. */
export function Labelled({
  id,
  label,
  hint,
  children,
}: Common & { id: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** A line of text with its name above it. */
export function Field({ label, hint, type = 'text', ...input }: InputProps) {
  const id = useId()
  // Preact's types have one for each kind of input; which of them it is, is known only when it is drawn.
  const attributes: object = { ...input, type }
  return (
    <Labelled id={id} label={label} hint={hint}>
      <input {...attributes} id={id} aria-describedby={describedBy(id, hint)} />
    </Labelled>
  )
}

/** The id of an input's hint, if it has one. */
export function describedBy(id: string, hint: string | undefined): string | undefined {
  return hint === undefined ? undefined : `${id}-hint`
}

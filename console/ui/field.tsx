import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface Common {
  label: string
  /** Help text for the field, or its error. */
  hint?: ComponentChildren
}

/** The properties that single-line and multi-line inputs share. */
export interface Written extends Common {
  name?: string
  autocomplete?: string
  required?: boolean
  maxLength?: number
  placeholder?: string
  defaultValue?: string
  /** True if the hint is an error of this field. */
  'aria-invalid'?: boolean
}

interface InputProps extends Written {
  type?: 'datetime-local' | 'email' | 'password' | 'search' | 'text'
  inputMode?: 'decimal' | 'numeric'
  readOnly?: boolean
  value?: string
  onInput?(event: { currentTarget: HTMLInputElement }): void
}

/** An input with its label above and its hint below. */
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
        <div class="hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
    </div>
  )
}

/** A single-line input with its label above. */
export function Field({ label, hint, type = 'text', ...input }: InputProps) {
  const id = useId()
  // Preact's types differ per kind of input, and the kind is only known at run time.
  const attributes: object = { ...input, type }
  return (
    <Labelled id={id} label={label} hint={hint}>
      <input {...attributes} id={id} aria-describedby={describedBy(id, hint)} />
    </Labelled>
  )
}

/** Returns the id of an input's hint, if it has one. */
export function describedBy(id: string, hint: ComponentChildren): string | undefined {
  return hint === undefined ? undefined : `${id}-hint`
}

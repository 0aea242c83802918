import { useId } from 'preact/hooks'
import type { ComponentChildren } from 'preact'

interface Common {
  label: string
  /** What helps to fill it in. */
  hint?: string | undefined
}

/** What inputs of one and of several lines have in common. */
interface Written extends Common {
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

interface AreaProps extends Written {
  rows?: number
  value?: string
  onInput?(event: { currentTarget: HTMLTextAreaElement }): void
  onKeyDown?(event: KeyboardEvent): void
}

interface ChoiceProps extends Common {
  /** In the form that it is a part of. */
  name?: string
  value?: string
  onChoose?(value: string): void
  children: ComponentChildren
}

function Labelled({
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

/** Several lines of text. */
export function Area({ label, hint, ...area }: AreaProps) {
  const id = useId()
  return (
    <Labelled id={id} label={label} hint={hint}>
      <textarea {...area} id={id} aria-describedby={describedBy(id, hint)} />
    </Labelled>
  )
}

/** One of several. */
export function Choice({ label, hint, name, value, onChoose, children }: ChoiceProps) {
  const id = useId()
  return (
    <Labelled id={id} label={label} hint={hint}>
      <select
        id={id}
        name={name}
        {...(value !== undefined && { value })}
        onChange={({ currentTarget }) => onChoose?.(currentTarget.value)}
        aria-describedby={describedBy(id, hint)}
      >
        {children}
      </select>
    </Labelled>
  )
}

function describedBy(id: string, hint: string | undefined): string | undefined {
  return hint === undefined ? undefined : `${id}-hint`
}

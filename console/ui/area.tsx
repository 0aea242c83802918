import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { type Common, describedBy, Labelled, type Written } from './field.tsx'

interface AreaProps extends Written {
  rows?: number
  value?: string
  onInput?(event: { currentTarget: HTMLTextAreaElement }): void
  onKeyDown?(event: KeyboardEvent): void
}

interface ChoiceProps extends Common {
  /** The name in its form. */
  name?: string
  value?: string
  onChoose?(value: string): void
  children: ComponentChildren
}

/** A text area. */
export function Area({ label, hint, ...area }: AreaProps) {
  const id = useId()
  return (
    <Labelled id={id} label={label} hint={hint}>
      <textarea {...area} id={id} aria-describedby={describedBy(id, hint)} />
    </Labelled>
  )
}

/** A select. */
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

import { useId } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { type Common, describedBy, Labelled, type Written } from './field.tsx'

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

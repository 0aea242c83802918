import type { RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { PlatformError } from '../base/platform.ts'
import { InputError, words } from '../base/words.ts'
import { Fault } from './fault.tsx'
import type { Written } from './field.tsx'

/** An invalid input of one field, which is found without a request. */
export class FieldError extends InputError {
  readonly field: string
  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

interface FieldFaults {
  /** The element around the form. */
  root: RefObject<HTMLDivElement | null>
  /**
   * Returns the properties of a field. Its error replaces its hint.
   * @param name its name in the API
   */
  at(name: string, label: string, hint?: string): Written
  /** Runs the action of the form. An error of a field is shown beside it, and the field gets the focus. */
  send(action: () => Promise<void>): Promise<void>
}

/** Shows the errors of a form beside their fields. */
export function useFieldFaults(): FieldFaults {
  const root = useRef<HTMLDivElement>(null)
  const [fault, setFault] = useState<FieldError>()
  const labels = new Map<string, string>()

  return {
    root,
    at(name, label, hint) {
      labels.set(name, label)
      const isFault = fault?.field === name
      return {
        name,
        label,
        hint: isFault ? <Fault error={fault} /> : hint,
        'aria-invalid': isFault,
      }
    },
    async send(action) {
      setFault(undefined)
      try {
        await action()
      } catch (error) {
        const found = fieldErrorOf(error, labels)
        if (found === undefined) throw error
        setFault(found)
        root.current?.querySelector<HTMLElement>(`[name="${found.field}"]`)?.focus()
      }
    },
  }
}

/** The platform's messages about a field begin with its name. */
function fieldErrorOf(error: unknown, labels: ReadonlyMap<string, string>): FieldError | undefined {
  if (error instanceof FieldError) return error
  if (!(error instanceof PlatformError) || error.status !== 400) return undefined
  // `amount must be …`, and `hosts.1: must be …` for the second of a list.
  const [, name = '', index, rest = ''] = /^(\w+)(?:\.(\d+):)? (.*)$/su.exec(words(error)) ?? []
  const found = [...labels].find(([each]) => each.toLowerCase() === name.toLowerCase())
  if (found === undefined) return undefined
  const [field, label] = found
  const line = index === undefined ? '' : `, line ${Number(index) + 1}:`
  return new FieldError(field, `${label}${line} ${rest}`)
}

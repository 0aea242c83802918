import type { ComponentChildren, RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { PlatformError } from '../../../base/platform.ts'
import { InputError, words } from '../../../base/words.ts'
import { Fault } from '../../../ui/fault.tsx'

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
  /** Returns a field with its error below. */
  beside(name: string, field: ComponentChildren): ComponentChildren
  /** Runs the action of the form. An error of a field is shown beside it, and the field gets the focus. */
  send(action: () => Promise<void>): Promise<void>
}

/**
 * Shows the errors of a form beside their fields.
 * @param labels the labels of the fields by their names in the API, whose errors begin with the name
 */
export function useFieldFaults(labels: Readonly<Record<string, string>>): FieldFaults {
  const root = useRef<HTMLDivElement>(null)
  const [fault, setFault] = useState<FieldError>()

  return {
    root,
    beside: (name, field) => (
      <div class="field">
        {field}
        {fault?.field === name && <Fault error={fault} />}
      </div>
    ),
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

function fieldErrorOf(
  error: unknown,
  labels: Readonly<Record<string, string>>,
): FieldError | undefined {
  if (error instanceof FieldError) return error
  if (!(error instanceof PlatformError) || error.status !== 400) return undefined
  // `amount must be …`, and `hosts.1: must be …` for the second of a list.
  const [, name = '', index, rest = ''] = /^(\w+)(?:\.(\d+):)? (.*)$/su.exec(words(error)) ?? []
  const found = Object.entries(labels).find(([each]) => each.toLowerCase() === name.toLowerCase())
  if (found === undefined) return undefined
  const [field, label] = found
  const line = index === undefined ? '' : `, line ${Number(index) + 1}:`
  return new FieldError(field, `${label}${line} ${rest}`)
}

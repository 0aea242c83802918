import { InputError } from '../../../base/words.ts'
import { Area } from '../../../ui/area.tsx'
import { Field } from '../../../ui/field.tsx'
import type { ChannelField } from './kinds.ts'

interface ChannelFieldsProps {
  fields: readonly ChannelField[]
  /** The values of a channel that is changed. Its secrets are not known. */
  settings?: Readonly<Record<string, string>>
}

/** The inputs of a channel. */
export function ChannelFields({ fields, settings }: ChannelFieldsProps) {
  return (
    <>
      {fields.map(({ name, label, isSecret, hint, placeholder }) =>
        name === 'promptTemplate' ? (
          <Area
            key={name}
            label={label}
            name={name}
            rows={4}
            placeholder={placeholder}
            defaultValue={settings?.[name]}
            hint={hint}
          />
        ) : (
          <Field
            key={name}
            label={label}
            name={name}
            type={isSecret ? 'password' : 'text'}
            autocomplete="off"
            placeholder={placeholder}
            defaultValue={settings?.[name]}
            hint={isSecret && settings !== undefined ? 'Leave empty to keep it.' : hint}
          />
        ),
      )}
    </>
  )
}

/**
 * Returns the entered values, without empty ones.
 * @param isNew true if all fields are needed
 * @throws InputError for an empty field that is needed
 */
export function enteredIn(
  fields: readonly ChannelField[],
  values: Readonly<Record<string, string>>,
  isNew: boolean,
): Record<string, string> {
  const entered = fields.flatMap(({ name, label, isOptional, isSecret }) => {
    const value = values[name]?.trim() ?? ''
    if (value !== '') return [[name, value]]
    if (isOptional === true || (isSecret && !isNew)) return []
    throw new InputError(`Enter the field ${label}.`)
  })
  return Object.fromEntries(entered) as Record<string, string>
}

import type { Schema } from './document.ts'

/** `sent` by clients: the platform must still accept it. `received` by clients: they must still understand it. */
export type Direction = 'sent' | 'received'

/** Returns a text about the values that clients can no longer send or may now receive; undefined if nothing breaks. */
export function changedValues(old: Schema, now: Schema, direction: Direction): string | undefined {
  const [first, last] = direction === 'sent' ? [old, now] : [now, old]
  const types = without(typesOf(first), typesOf(last)).join(' or ')
  if (types !== '')
    return direction === 'sent' ? `it no longer takes ${types}` : `it may now be ${types}`
  // A new value in a response is not a break: clients must expect new values.
  const gone = without(valuesOf(old), valuesOf(now)).join(', ')
  if (gone !== '') return `the value ${gone} is gone`
  const fewer = choicesOf(now).length < choicesOf(old).length
  return direction === 'sent' && fewer ? 'it takes fewer forms' : undefined
}

export function choicesOf({ anyOf, oneOf }: Schema): readonly Schema[] {
  return anyOf ?? oneOf ?? []
}

/** Returns the elements of a list that another list lacks; empty if the other list is empty, which means any value. */
function without(list: readonly string[], other: readonly string[]): string[] {
  return other.length === 0 ? [] : list.filter((one) => !other.includes(one))
}

function typesOf(schema: Schema): string[] {
  if (schema.$ref !== undefined) return ['object']
  const own = schema.type === undefined ? [] : [schema.type].flat()
  const all = [...own, ...choicesOf(schema).flatMap(typesOf)]
  return all.includes('number') ? [...all, 'integer'] : all
}

function valuesOf({ enum: values, const: value }: Schema): string[] {
  return (value === undefined ? (values ?? []) : [value]).map((one) => JSON.stringify(one))
}

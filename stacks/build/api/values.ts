import type { Schema } from './document.ts'

/** Who writes a value: what clients send must still be taken, and what they receive still be understood. */
export type Direction = 'sent' | 'received'

/** What may no longer be sent, or may now be received: undefined where neither is so. */
export function changedValues(old: Schema, now: Schema, direction: Direction): string | undefined {
  const [first, last] = direction === 'sent' ? [old, now] : [now, old]
  const types = without(typesOf(first), typesOf(last)).join(' or ')
  if (types !== '')
    return direction === 'sent' ? `it no longer takes ${types}` : `it may now be ${types}`
  // A value more is an addition in an answer too: clients are to expect those.
  const gone = without(valuesOf(old), valuesOf(now)).join(', ')
  if (gone !== '') return `the value ${gone} is gone`
  const fewer = choicesOf(now).length < choicesOf(old).length
  return direction === 'sent' && fewer ? 'it takes fewer forms' : undefined
}

export function choicesOf({ anyOf, oneOf }: Schema): readonly Schema[] {
  return anyOf ?? oneOf ?? []
}

/** What is in one list and not in another; nothing where the other says nothing at all. */
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

import type { ApiDocument, Content, Operation, Parameter, Schema } from './document.ts'

/** Returns the changes that break clients of the document `before` when `after` replaces it. */
export function breakingChanges(before: ApiDocument, after: ApiDocument): string[] {
  const comparison = new Comparison(before, after)
  for (const [path, methods] of Object.entries(before.paths))
    for (const [method, old] of Object.entries(methods)) {
      const where = `${method.toUpperCase()} ${path}`
      const now = after.paths[path]?.[method]
      if (now === undefined) comparison.found.push(`${where}: the operation is gone`)
      else comparison.operation(where, old, now)
    }
  return comparison.found
}

function sameParameter(one: Parameter, other: Parameter): boolean {
  return one.name === other.name && one.in === other.in
}

function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.slice($ref.lastIndexOf('/') + 1)
}

class Comparison {
  readonly found: string[] = []
  readonly #before: ApiDocument
  readonly #after: ApiDocument
  /** Compared pairs of named schemas. A schema may refer to itself, and each change is reported once. */
  readonly #seen = new Set<string>()

  constructor(before: ApiDocument, after: ApiDocument) {
    this.#before = before
    this.#after = after
  }

  operation(where: string, old: Operation, now: Operation): void {
    if (old.operationId !== now.operationId)
      this.found.push(`${where}: ${old.operationId} is now called ${now.operationId}`)
    this.#parameters(where, old.parameters ?? [], now.parameters ?? [])
    if (now.requestBody?.required === true && old.requestBody?.required !== true)
      this.found.push(`${where}: a body is now required`)
    this.#contents(`${where} body`, old.requestBody?.content, now.requestBody?.content, 'sent')
    for (const [status, { content }] of Object.entries(old.responses)) {
      if (Number(status) >= 400) continue
      const next = now.responses[status]
      if (next === undefined) this.found.push(`${where}: it no longer answers ${status}`)
      else this.#contents(`${where} answer`, content, next.content, 'received')
    }
  }

  #parameters(where: string, old: readonly Parameter[], now: readonly Parameter[]): void {
    for (const parameter of old)
      if (!now.some((one) => sameParameter(one, parameter)))
        this.found.push(`${where}: the parameter ${parameter.name} is gone`)
    for (const parameter of now) {
      const known = old.find((one) => sameParameter(one, parameter))
      if (parameter.required === true && known?.required !== true)
        this.found.push(`${where}: the parameter ${parameter.name} is now required`)
      if (known !== undefined)
        this.#schema(`${where} ${parameter.name}`, known.schema, parameter.schema, 'sent')
    }
  }

  #contents(
    where: string,
    old: Record<string, Content> = {},
    now: Record<string, Content> = {},
    direction: Direction,
  ): void {
    for (const [type, content] of Object.entries(old)) {
      const next = now[type]
      if (next === undefined) {
        this.found.push(`${where}: ${type} is gone`)
        continue
      }
      this.#schema(where, content.schema, next.schema, direction)
      for (const [event, { schema }] of Object.entries(content['x-events'] ?? {})) {
        const other = next['x-events']?.[event]
        if (other === undefined) this.found.push(`${where}: the event ${event} is gone`)
        else this.#schema(`${where} event ${event}`, schema, other.schema, direction)
      }
    }
  }

  #schema(where: string, old: Schema, now: Schema, direction: Direction): void {
    const pair = `${direction} ${old.$ref} ${now.$ref}`
    if (old.$ref !== undefined && this.#seen.has(pair)) return
    this.#seen.add(pair)
    const place = nameOf(old) ?? where
    const [one, other] = [resolve(this.#before, old), resolve(this.#after, now)]
    const values = changedValues(one, other, direction)
    if (values !== undefined) this.found.push(`${place}: ${values}`)
    this.#fields(place, one, other, direction)
    if (one.items !== undefined && other.items !== undefined)
      this.#schema(`${place}[]`, one.items, other.items, direction)
    const next = choicesOf(other)
    choicesOf(one).forEach((choice, i) => {
      if (next[i] !== undefined) this.#schema(`${place} form ${i + 1}`, choice, next[i], direction)
    })
  }

  #fields(place: string, old: Schema, now: Schema, direction: Direction): void {
    const [needed, stillNeeded] = [old.required ?? [], now.required ?? []]
    for (const [name, property] of Object.entries(old.properties ?? {})) {
      const next = now.properties?.[name]
      if (next === undefined) {
        this.found.push(`${place}: the field ${name} is gone`)
        continue
      }
      if (direction === 'received' && needed.includes(name) && !stillNeeded.includes(name))
        this.found.push(`${place}: the field ${name} may now be absent`)
      this.#schema(`${place}.${name}`, property, next, direction)
    }
    if (direction === 'received') return
    for (const name of stillNeeded)
      if (!needed.includes(name)) this.found.push(`${place}: the field ${name} is now required`)
  }
}

function resolve(document: ApiDocument, schema: Schema): Schema {
  const name = nameOf(schema)
  return name === undefined ? schema : (document.components.schemas[name] ?? {})
}

/** `sent` by clients: the platform must still accept it. `received` by clients: they must still understand it. */
type Direction = 'sent' | 'received'

/** Returns a text about the values that clients can no longer send or may now receive; undefined if nothing breaks. */
function changedValues(old: Schema, now: Schema, direction: Direction): string | undefined {
  const [first, last] = direction === 'sent' ? [old, now] : [now, old]
  const types = without(typesOf(first), typesOf(last)).join(' or ')
  if (types !== '')
    return direction === 'sent' ? `it no longer takes ${types}` : `it may now be ${types}`
  // A new value in a response is not a break: clients must expect new values.
  const gone = without(valuesOf(old), valuesOf(now)).join(', ')
  if (gone !== '') return `the value ${gone} is gone`
  const fewer = choicesOf(now).length < choicesOf(old).length
  return direction === 'sent' && fewer ? 'it accepts fewer forms' : undefined
}

function choicesOf({ anyOf, oneOf }: Schema): readonly Schema[] {
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

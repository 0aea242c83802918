import { useState } from 'preact/hooks'
import { nameOf, resolved, type Schema } from './data.ts'
import { Words } from './words.tsx'

interface Told {
  /** Request schemas mark required fields; response schemas mark optional fields. */
  isSent?: boolean
}

/** Shows the fields of a schema, or its type if it has no fields. */
export function SchemaView({ schema, isSent = false }: { schema: Schema } & Told) {
  const name = nameOf(schema)
  const whole = resolved(schema)
  const choices = whole.anyOf ?? whole.oneOf
  const fields = fieldsOf(whole)
  return (
    <div class="schema">
      {name !== undefined && (
        <p class="meta">
          <a href={`#schema-${name}`}>{name}</a>
        </p>
      )}
      {whole.description !== undefined && (
        <p>
          <Words text={whole.description} />
        </p>
      )}
      {choices !== undefined && <Choices of={choices} isSent={isSent} />}
      {fields.length > 0 && <Fields of={fields} isSent={isSent} />}
      {choices === undefined && fields.length === 0 && (
        <p class="meta">
          <Type of={whole} />
        </p>
      )}
    </div>
  )
}

interface NamedField {
  name: string
  schema: Schema
  isRequired: boolean
  /** The location of a parameter, such as query. */
  place?: string
}

function fieldsOf(schema: Schema): NamedField[] {
  const {
    properties = {},
    required = [],
    allOf = [],
    additionalProperties,
    items,
  } = resolved(schema)
  const own = Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field,
    isRequired: required.includes(name),
  }))
  const any =
    typeof additionalProperties === 'object'
      ? [{ name: '<any name>', schema: additionalProperties, isRequired: false }]
      : []
  const within = items === undefined || items === false ? [] : fieldsOf(items)
  return [...own, ...any, ...allOf.flatMap(fieldsOf), ...within]
}

/** Shows fields with their types and descriptions. */
export function Fields({ of, isSent = false }: { of: readonly NamedField[] } & Told) {
  return (
    <ul class="fields">
      {of.map((field) => (
        <FieldView key={field.name} {...field} isSent={isSent} />
      ))}
    </ul>
  )
}

function FieldView({ name, schema, isRequired, place, isSent }: NamedField & Told) {
  const { description } = schema
  const bounds = boundsOf(schema)
  return (
    <li>
      <p class="field-head">
        <code>{name}</code>
        <Type of={schema} />
        {place !== undefined && <span class="meta">{place}</span>}
        {isRequired && isSent && <span class="required">required</span>}
        {!isRequired && !isSent && <span class="meta">optional</span>}
      </p>
      {description !== undefined && (
        <p class="field-means">
          <Words text={description} />
        </p>
      )}
      {bounds !== '' && <p class="meta">{bounds}</p>}
      {hasMore(schema) && <Within schema={schema} name={name} isSent={isSent} />}
    </li>
  )
}

/** Returns whether the schema has fields to show, and not only a type. */
function hasMore(schema: Schema): boolean {
  const { anyOf, oneOf, items } = resolved(schema)
  const choices = anyOf ?? oneOf ?? []
  if (items !== undefined && items !== false && hasMore(items)) return true
  return fieldsOf(schema).length > 0 || choices.some(hasMore)
}

/** Rendered only when opened, because schemas can be recursive. */
function Within({ schema, name, isSent }: { schema: Schema; name: string } & Told) {
  const [isOpen, setIsOpen] = useState(false)
  const { items } = resolved(schema)
  const inner = items === undefined || items === false ? schema : items
  return (
    <details class="within" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        Fields of <code>{name}</code>
      </summary>
      {isOpen && <SchemaView schema={inner} isSent={isSent} />}
    </details>
  )
}

function Choices({ of, isSent }: { of: readonly Schema[] } & Told) {
  const many = of.filter(hasMore)
  if (many.length === 0)
    return (
      <p class="meta">
        <Type of={{ anyOf: [...of] }} />
      </p>
    )
  if (many.length === 1 && many[0] !== undefined)
    return <Fields of={fieldsOf(many[0])} isSent={isSent} />
  return (
    <>
      <p class="meta">One of these:</p>
      {many.map((choice) => (
        <div class="choice">
          <SchemaView schema={choice} isSent={isSent} />
        </div>
      ))}
    </>
  )
}

/** Shows the type of a schema. A name links to its schema. */
function Type({ of }: { of: Schema }) {
  const name = nameOf(of)
  if (name !== undefined)
    return (
      <a class="type" href={`#schema-${name}`}>
        {name}
      </a>
    )
  const choices = of.anyOf ?? of.oneOf
  if (choices !== undefined)
    return (
      <span class="type">
        {choices.map((choice, i) => (
          <>
            {i > 0 && ' or '}
            <Type of={choice} />
          </>
        ))}
      </span>
    )
  if (of.items !== undefined && of.items !== false)
    return (
      <span class="type">
        list of <Type of={of.items} />
      </span>
    )
  return <span class="type">{typeWords(of)}</span>
}

function typeWords(schema: Schema): string {
  const { type, format } = schema
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' or ')
  if (type === undefined) return 'anything'
  const words = [type].flat().join(' or ')
  return format === undefined ? words : `${words}, ${format}`
}

function boundsOf(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, minItems, maxItems } =
    resolved(schema)
  return [
    range(minLength, maxLength, ' characters'),
    range(minimum, maximum, ''),
    exclusiveMinimum === undefined ? '' : `more than ${exclusiveMinimum}`,
    range(minItems, maxItems, ' items'),
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** Formats bounds. Leaves out the safe-integer bounds that every integer schema has. */
function range(least: number | undefined, most: number | undefined, of: string): string {
  const [from, to] = [least, most].map((bound) =>
    bound === undefined || Math.abs(bound) === Number.MAX_SAFE_INTEGER
      ? undefined
      : bound.toLocaleString('en'),
  )
  if (from !== undefined && to !== undefined)
    return from === to ? `${from}${of}` : `${from} to ${to}${of}`
  if (to !== undefined) return `at most ${to}${of}`
  if (from === undefined) return ''
  return from === '1' && of !== '' ? 'not empty' : `at least ${from}${of}`
}

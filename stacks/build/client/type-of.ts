/** The part of a JSON Schema that determines a TypeScript type. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  description?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  items?: JsonSchema | false
  prefixItems?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
}

/** Returns a JSON Schema as a TypeScript type. Unsupported keywords give `unknown`. */
export function typeOf(schema: JsonSchema): string {
  const { $ref, type, anyOf, oneOf, allOf } = schema
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)))
  const choices = anyOf ?? oneOf
  if (choices !== undefined) return union(choices.map(typeOf))
  if (allOf !== undefined) return allOf.map((one) => grouped(typeOf(one))).join(' & ')
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one })))
  switch (type) {
    case 'object':
      return objectOf(schema)
    case 'array':
      return arrayOf(schema)
    case 'integer':
      return 'number'
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type
    default:
      return 'unknown'
  }
}

/** Returns a one-line comment with a line break; empty without a text. */
export function commentOf(words: string | undefined): string {
  return words === undefined ? '' : `/** ${words.replaceAll('*/', '*\\/')} */\n`
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)]
  return distinct.includes('unknown') ? 'unknown' : distinct.join(' | ')
}

function grouped(type: string): string {
  return /^(?:[\w."-]+|\{[^{}]*\})$/.test(type) ? type : `(${type})`
}

function arrayOf({ items, prefixItems }: JsonSchema): string {
  if (prefixItems !== undefined) {
    const rest = items === undefined || items === false ? [] : [`...${grouped(typeOf(items))}[]`]
    return `[${[...prefixItems.map(typeOf), ...rest].join(', ')}]`
  }
  return `${grouped(typeOf(items === undefined || items === false ? {} : items))}[]`
}

function objectOf({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const others = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'
  const names = Object.keys(properties)
  if (names.length === 0)
    return `Record<string, ${additionalProperties === false ? 'never' : others}>`
  const fields = names.map((name) => {
    const property = properties[name] ?? {}
    const optional = !required.includes(name)
    const type = typeOf(property)
    // Callers may pass undefined, which is not sent.
    const whole = optional ? `?: ${union([type, 'undefined'])}` : `: ${type}`
    return `${commentOf(property.description)}${keyOf(name)}${whole}`
  })
  // An index signature must accept the types of all other fields, so only `unknown` is possible.
  if (additionalProperties !== undefined && additionalProperties !== false)
    fields.push('[other: string]: unknown')
  return `{\n${fields.join('\n')}\n}`
}

/** Returns a property name as source code. */
export function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}

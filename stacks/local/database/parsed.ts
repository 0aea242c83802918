import { copy } from './copy.ts'

/** A part of a request that has expressions. dynalite adds the parsed forms under names that begin with `_`. */
export interface Expressions {
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Record<string, object>
  UpdateExpression?: string
  ConditionExpression?: string
  KeyConditionExpression?: string
  FilterExpression?: string
  ProjectionExpression?: string
  _updates?: object
  _condition?: object
  _keyCondition?: object
  _filter?: object
  _projection?: object
}

const texts = [
  'UpdateExpression',
  'ConditionExpression',
  'KeyConditionExpression',
  'FilterExpression',
  'ProjectionExpression',
] as const

const results = ['_updates', '_condition', '_keyCondition', '_filter', '_projection'] as const

interface Checks {
  /** Parses all expressions of a part. @returns an error message, if one is invalid */
  validateExpressions(data: Expressions): string | undefined
  /** Rewrites a value in plain notation. @returns an error message, if it is invalid */
  validateAttributeValue(value: object): string | undefined
  compare(operator: 'GT', low: object, high: object): boolean
}

/** A placeholder in a cached expression for the value with this name. */
class Place {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

interface Remembered {
  parsed: Pick<Expressions, (typeof results)[number]>
  /** Pairs of values. The second must not be less than the first. */
  bounds: (readonly [low: string, high: string])[]
}

/** The cache limit. The platform has a few hundred expressions; expressions with inlined values must not fill the memory. */
const max = 2000

/** The size limit of an expression, in bytes. */
const longest = 4096

/** Functions whose validity depends on a value. The bounds of BETWEEN are handled separately. */
const judging = /attribute_type/i

/**
 * Caches the parsed expressions of a request for requests with the same texts, names and types of values: parsing took most
 * of a write's time. Invalid expressions are not cached.
 */
export function remembering(checks: Checks): Checks['validateExpressions'] {
  const { validateExpressions } = checks
  const known = new Map<string, Remembered>()
  return (data) => {
    const key = keyOf(data)
    if (key === undefined) return oversized(data) ?? validateExpressions(data)
    const values = data.ExpressionAttributeValues ?? {}
    const seen = known.get(key)
    if (seen !== undefined && fits(seen, values, checks)) {
      const filled = (node: object) => (node instanceof Place ? values[node.name] : undefined)
      Object.assign(data, copy(seen.parsed, filled))
      return undefined
    }
    const message = validateExpressions(data)
    if (message === undefined) {
      if (known.size >= max) known.clear()
      known.set(key, remembered(data, values))
    }
    return message
  }
}

/** Returns the error of an expression that is longer than DynamoDB's limit, 4 KB. */
function oversized(data: Expressions): string | undefined {
  for (const name of texts) {
    const size = Buffer.byteLength(data[name] ?? '')
    if (size > longest)
      return `Invalid ${name}: Expression size has exceeded the maximum allowed size; expression size: ${size}`
  }
  return undefined
}

/** Returns the cache key of a part; undefined if it cannot be cached. */
function keyOf(data: Expressions): string | undefined {
  const expressions = texts.map((name) => data[name])
  const all = expressions.join('')
  if (all === '' || all.length > longest || judging.test(all)) return undefined
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = data
  const types =
    values && Object.entries(values).map(([name, value]) => [name, Object.keys(value)[0]])
  return JSON.stringify([expressions, names, types])
}

function remembered(data: Expressions, values: Record<string, object>): Remembered {
  const names = new Map(Object.entries(values).map(([name, value]) => [value, name]))
  const bounds: Remembered['bounds'] = []
  const parsed: Remembered['parsed'] = {}
  for (const result of results) {
    const made = data[result]
    if (made === undefined) continue
    parsed[result] = copy(made, (node) => {
      const [low, high] = boundsOf(node).map((value) => names.get(value))
      if (low !== undefined && high !== undefined) bounds.push([low, high])
      const name = names.get(node)
      return name === undefined ? undefined : new Place(name)
    })
  }
  return { parsed, bounds }
}

function fits(
  { bounds }: Remembered,
  values: Record<string, object>,
  { validateAttributeValue, compare }: Checks,
): boolean {
  for (const name in values) if (validateAttributeValue(values[name] ?? {})) return false
  return bounds.every(([low, high]) => {
    const [from, to] = [values[low], values[high]]
    return from !== undefined && to !== undefined && !compare('GT', from, to)
  })
}

function boundsOf(node: object): object[] {
  const { type, args } = node as { type?: unknown; args?: object[] }
  return type === 'between' ? (args ?? []).slice(1) : []
}

import { copy } from './copy.ts'

/** A part of a request that has expressions. dynalite puts what it makes of them beside them, under names with `_`. */
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
  /** Parses all expressions of a part. @returns what is wrong with them */
  validateExpressions(data: Expressions): string | undefined
  /** @returns what is wrong with a value, which it puts in its plain notation */
  validateAttributeValue(value: object): string | undefined
  compare(operator: 'GT', low: object, high: object): boolean
}

/** Stands in a remembered expression for the value of this name. */
class Place {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

interface Remembered {
  parsed: Pick<Expressions, (typeof results)[number]>
  /** Pairs of values of which the second must not be less. */
  bounds: (readonly [low: string, high: string])[]
}

/** The platform has some hundreds of expressions; who writes values into theirs must not fill the memory. */
const most = 2000
const longest = 4096

/** What the grammars judge by a value, beside the bounds of BETWEEN. */
const judging = /attribute_type/i

/**
 * Remembers what dynalite made of a request's expressions, for the next one with the same texts, names and types of
 * values: parsing took most of a write's time. Refused expressions are parsed each time.
 */
export function remembering(checks: Checks): Checks['validateExpressions'] {
  const { validateExpressions } = checks
  const known = new Map<string, Remembered>()
  return (data) => {
    const key = keyOf(data)
    if (key === undefined) return validateExpressions(data)
    const values = data.ExpressionAttributeValues ?? {}
    const seen = known.get(key)
    if (seen !== undefined && fits(seen, values, checks)) {
      const filled = (node: object) => (node instanceof Place ? values[node.name] : undefined)
      Object.assign(data, copy(seen.parsed, filled))
      return undefined
    }
    const message = validateExpressions(data)
    if (message === undefined) {
      if (known.size >= most) known.clear()
      known.set(key, remembered(data, values))
    }
    return message
  }
}

/** What a part is remembered by; undefined where there is nothing to remember. */
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

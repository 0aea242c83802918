import type { Condition, Operand } from './expressions.ts'
import { sortable } from './keys.ts'
import { equals, membersOf, typeOf, valueAt } from './values.ts'
import type { AttributeValue, Item, Path } from './values.ts'

/**
 * Returns whether an item satisfies a condition. dynalite's own evaluation is not used: it compares lists and maps by
 * identity, orders strings by UTF-16 unit and finds inherited attributes.
 */
export function satisfies(item: Item, condition: Condition): boolean {
  switch (condition.type) {
    case 'and':
      return condition.args.every((it) => satisfies(item, it))
    case 'or':
      return condition.args.some((it) => satisfies(item, it))
    case 'not':
      return !condition.args.some((it) => satisfies(item, it))
    default: {
      const operator = condition.type === 'function' ? condition.name : condition.type
      const [first, ...rest] = condition.args.map((it) => resolve(item, it))
      return holds(operator, first, rest)
    }
  }
}

type Maybe = AttributeValue | undefined

function holds(operator: string, value: Maybe, operands: Maybe[]): boolean {
  const [operand, upper] = operands
  switch (operator) {
    case 'attribute_exists':
      return value !== undefined
    case 'attribute_not_exists':
      return value === undefined
    case '<>':
      return !(value && operand && equals(value, operand))
  }
  if (!value) return false
  if (operator === 'in') return operands.some((it) => it && equals(value, it))
  if (!operand) return false
  switch (operator) {
    case '=':
      return equals(value, operand)
    case '<':
      return order(value, operand) < 0
    case '<=':
      return order(value, operand) <= 0
    case '>':
      return order(value, operand) > 0
    case '>=':
      return order(value, operand) >= 0
    case 'between':
      return order(value, operand) >= 0 && upper !== undefined && order(value, upper) <= 0
    case 'attribute_type':
      return 'S' in operand && operand.S === typeOf(value)
    case 'begins_with':
      return beginsWith(value, operand)
    case 'contains':
      return contains(value, operand)
  }
  throw new Error(`the grammar has no operator ${operator}`)
}

const ORDERED = new Set<string>(['S', 'N', 'B'])
const ORDERING = new Set<string>(['<', '<=', '>', '>=', 'between'])

/** Returns the error in the operands of a condition that the grammar does not check. */
export function misuse(condition: Condition): string | undefined {
  if (condition.type === 'and' || condition.type === 'or' || condition.type === 'not') {
    return condition.args.map(misuse).find(Boolean)
  }
  const operator = condition.type.toUpperCase()
  const [first, ...rest] = condition.args
  const several = condition.type === 'in' || condition.type === 'between'
  if (several && first && isPath(first) && rest.some((it) => isPath(it) && samePath(first, it))) {
    const steps = first.map((step) => (typeof step === 'number' ? `[${step}]` : step))
    return (
      'The first operand must be distinct from the remaining operands for this operator or ' +
      `function; operator: ${operator}, first operand: [${steps.join(', ')}]`
    )
  }
  const literals = condition.args.filter((it) => !isPath(it) && !('type' in it))
  const unordered = literals.find((it) => !ORDERED.has(typeOf(it as AttributeValue)))
  if (!ORDERING.has(condition.type) || !unordered) return undefined
  return (
    'Incorrect operand type for operator or function; ' +
    `operator or function: ${operator}, operand type: ${typeOf(unordered as AttributeValue)}`
  )
}

function samePath(left: Path, right: Path): boolean {
  return left.length === right.length && left.every((step, i) => step === right[i])
}

/** Negative, zero or positive; NaN for different types, so that every comparison is false. */
function order(left: AttributeValue, right: AttributeValue): number {
  const type = typeOf(left)
  if (type !== typeOf(right) || !ORDERED.has(type)) return Number.NaN
  return Buffer.compare(sortable(left), sortable(right))
}

function beginsWith(value: AttributeValue, prefix: AttributeValue): boolean {
  if ('S' in value && 'S' in prefix) return value.S.startsWith(prefix.S)
  if (!('B' in value && 'B' in prefix)) return false
  const bytes = sortable(prefix)
  return sortable(value).subarray(0, bytes.length).equals(bytes)
}

function contains(value: AttributeValue, operand: AttributeValue): boolean {
  if ('S' in value) return 'S' in operand && value.S.includes(operand.S)
  if ('B' in value) return 'B' in operand && sortable(value).includes(sortable(operand))
  if ('L' in value) return value.L.some((it) => equals(it, operand))
  const scalar = Object.values(operand)[0] as unknown
  const members: unknown[] = typeOf(value) === `${typeOf(operand)}S` ? membersOf(value)! : []
  return members.includes(scalar)
}

function resolve(item: Item, operand: Operand): Maybe {
  if (isPath(operand)) return valueAt(item, operand)
  if (!('type' in operand)) return operand
  const value = operand.args[0] && resolve(item, operand.args[0])
  const size = value && sizeOf(value)
  return size === undefined ? undefined : { N: String(size) }
}

export function isPath(operand: object): operand is Path {
  return Array.isArray(operand)
}

function sizeOf(value: AttributeValue): number | undefined {
  if ('S' in value) return value.S.length
  if ('B' in value) return sortable(value).length
  if ('L' in value) return value.L.length
  if ('M' in value) return Object.keys(value.M).length
  return membersOf(value)?.length
}

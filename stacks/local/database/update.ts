import { isPath } from './condition.ts'
import { copy } from './copy.ts'
import { add, negate } from './decimal.ts'
import { validateAttributeValue } from './dynalite.ts'
import { validationError } from './errors.ts'
import type { Action, Expression } from './expressions.ts'
import { child, membersOf, typeOf, valueAt } from './values.ts'
import type { AttributeValue, Item, Path } from './values.ts'

const WRONG_TYPE = 'An operand in the update expression has an incorrect data type'
const BAD_PATH = 'The document path provided in the update expression is invalid for update'
const NO_ATTRIBUTE =
  'The provided expression refers to an attribute that does not exist in the item'

/**
 * Returns the item after an update expression. Every operand and list position refers to the item before the update,
 * in any order of actions. (dynalite applies actions one by one to shared objects, so `SET old = n ADD n :one` changes
 * both.)
 * @throws ValidationException for an operand of the wrong type or a path without a parent
 */
export function applyUpdate(before: Item, actions: readonly Action[]): Item {
  // Without nested paths, attributes are only replaced, so a shallow copy is enough.
  const after = actions.some(({ path }) => path.length > 1) ? copy(before) : { ...before }
  const holes = new Set<{ L: AttributeValue[] }>()
  for (const action of actions) {
    const value = resultOf(before, action)
    assign(after, action.path, value, holes)
  }
  // Close the gaps of removed positions, and of a SET past the end, only after all actions.
  for (const list of holes) list.L = Object.values(list.L)
  return after
}

/** Returns the new value at the action's path; undefined removes it. */
function resultOf(before: Item, action: Action): AttributeValue | undefined {
  if (action.type === 'set') return copy(evaluate(before, action.val))
  if (action.type === 'remove') return undefined
  const current = valueAt(before, action.path)
  if (current && typeOf(current) !== typeOf(action.val)) throw validationError(WRONG_TYPE)
  if ('N' in action.val) return sum(current ?? { N: '0' }, action.val)
  const members = membersOf(action.val)
  if (!members) throw validationError(WRONG_TYPE)
  const old = (current && membersOf(current)) ?? []
  const result =
    action.type === 'add'
      ? [...new Set([...old, ...members])]
      : old.filter((member) => !members.includes(member))
  return result.length > 0
    ? ({ [typeOf(action.val)]: result } as unknown as AttributeValue)
    : undefined
}

function assign(
  item: Item,
  path: Path,
  value: AttributeValue | undefined,
  holes: Set<{ L: AttributeValue[] }>,
): void {
  const parent = path.slice(0, -1).reduce(step, { M: item } as AttributeValue | undefined)
  const last = path.at(-1)
  if (parent && 'M' in parent && typeof last === 'string') {
    if (value) parent.M[last] = value
    else delete parent.M[last]
  } else if (parent && 'L' in parent && typeof last === 'number') {
    if (value) parent.L[last] = value
    else if (last < parent.L.length) delete parent.L[last]
    holes.add(parent)
  } else {
    throw validationError(BAD_PATH)
  }
}

function step(value: AttributeValue | undefined, key: string | number): AttributeValue | undefined {
  return value && child(value, key)
}

function evaluate(item: Item, expression: Expression): AttributeValue {
  if (isPath(expression)) {
    const value = valueAt(item, expression)
    if (!value) throw validationError(NO_ATTRIBUTE)
    return value
  }
  if (!('type' in expression)) return expression
  if (expression.type === 'function' && expression.name === 'if_not_exists') {
    return valueAt(item, expression.args[0]) ?? evaluate(item, expression.args[1])
  }
  const [left, right] = expression.args.map((it) => evaluate(item, it)) as [
    AttributeValue,
    AttributeValue,
  ]
  if (expression.type === 'function') {
    if (!('L' in left && 'L' in right)) throw validationError(WRONG_TYPE)
    return { L: [...left.L, ...right.L] }
  }
  if (expression.type === 'add' || !('N' in right)) return sum(left, right)
  return sum(left, { N: negate(right.N) })
}

function sum(left: AttributeValue, right: AttributeValue): AttributeValue {
  if (!('N' in left && 'N' in right)) throw validationError(WRONG_TYPE)
  const total = { N: add(left.N, right.N) }
  const invalid = validateAttributeValue(total)
  if (invalid) throw validationError(invalid)
  return total
}

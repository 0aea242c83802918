/** An attribute value in DynamoDB's JSON: one type tag; binary is base64 text. */
export type AttributeValue =
  | { S: string }
  | { N: string }
  | { B: string }
  | { BOOL: boolean }
  | { NULL: boolean }
  | { SS: string[] }
  | { NS: string[] }
  | { BS: string[] }
  | { L: AttributeValue[] }
  | { M: Item }

export type AttributeType = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'SS' | 'NS' | 'BS' | 'L' | 'M'

export interface Item {
  [attribute: string]: AttributeValue
}

/** A document path: attribute names and list positions, outermost first. */
export type Path = readonly (string | number)[]

export function typeOf(value: AttributeValue): AttributeType {
  return Object.keys(value)[0] as AttributeType
}

/** Returns the members of a set; undefined for other types. */
export function membersOf(value: AttributeValue): string[] | undefined {
  if ('SS' in value) return value.SS
  if ('NS' in value) return value.NS
  return 'BS' in value ? value.BS : undefined
}

/** Returns the child at one step of a path. Own properties only, so `constructor` is a missing attribute. */
export function child(value: AttributeValue, step: string | number): AttributeValue | undefined {
  if (typeof step === 'number') return 'L' in value ? value.L[step] : undefined
  return 'M' in value && Object.hasOwn(value.M, step) ? value.M[step] : undefined
}

export function valueAt(item: Item, path: Path): AttributeValue | undefined {
  let value: AttributeValue | undefined = { M: item }
  for (const step of path) {
    if (!value) return undefined
    value = child(value, step)
  }
  return value
}

/**
 * Compares by the rules of `=`: sets ignore order, lists do not, types must match. Numbers compare as text, because
 * validation has rewritten them in one canonical form.
 */
export function equals(left: AttributeValue, right: AttributeValue): boolean {
  const [type, a] = Object.entries(left)[0] as [AttributeType, unknown]
  if (type !== typeOf(right)) return false
  const [leftMembers, rightMembers] = [membersOf(left), membersOf(right)]
  if (leftMembers && rightMembers) {
    const members = new Set(leftMembers)
    return members.size === rightMembers.length && rightMembers.every((it) => members.has(it))
  }
  if ('L' in left && 'L' in right) {
    return left.L.length === right.L.length && left.L.every((it, i) => equals(it, right.L[i]!))
  }
  if ('M' in left && 'M' in right) {
    const names = Object.keys(left.M)
    return (
      names.length === Object.keys(right.M).length &&
      names.every((name) => Object.hasOwn(right.M, name) && equals(left.M[name]!, right.M[name]!))
    )
  }
  return a === Object.values(right)[0]
}

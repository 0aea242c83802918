import type { AttributeValue, Item } from './values.ts'

/** A number in plain notation with so few digits that no limit can apply. */
const plainNumber = /^(?:0|-?[1-9]\d{0,14})$/

/** Returns whether validation can neither reject nor change a value. That holds for nearly all values. */
export function isPlain(value: unknown): value is AttributeValue {
  if (!isObject(value)) return false
  const [type, ...others] = Object.keys(value)
  if (type === undefined || others.length > 0) return false
  const inner = value[type]
  switch (type) {
    case 'S':
      return typeof inner === 'string'
    case 'N':
      return typeof inner === 'string' && plainNumber.test(inner)
    case 'BOOL':
      return typeof inner === 'boolean'
    case 'NULL':
      return inner === true
    case 'L':
      return Array.isArray(inner) && inner.every(isPlain)
    case 'M':
      return isPlainItem(inner)
    default:
      return false
  }
}

function isPlainItem(item: unknown): item is Item {
  // dynalite's type check drops an attribute with this name, because an assignment sets the prototype of the copy.
  if (!isObject(item) || Object.hasOwn(item, '__proto__')) return false
  return Object.values(item).every(isPlain)
}

type Struct = Record<string, unknown>

/**
 * Removes the plain values from a request before dynalite checks its types, because that check copies each value slowly.
 * @returns a function that puts them back at their places in the checked request
 */
export function setAside(input: object): (checked: object) => void {
  const removed: { place: string; name: string; from: Struct; value: unknown }[] = []
  const set = (place: string, from: Struct, name: string, instead: object) => {
    removed.push({ place, name, from, value: from[name] })
    from[name] = instead
  }
  for (const [place, struct] of structsOf(input)) {
    for (const name of ['Item', 'Key', 'ExpressionAttributeValues'])
      if (isPlainItem(struct[name])) set(place, struct, name, {})
    const { Keys: keys } = struct
    if (Array.isArray(keys) && keys.every(isPlainItem)) set(place, struct, 'Keys', [])
  }
  return (checked) => {
    const structs = new Map(structsOf(checked))
    for (const { place, name, from, value } of removed) {
      from[name] = value
      const struct = structs.get(place)
      if (struct !== undefined && Object.hasOwn(struct, name)) struct[name] = value
    }
  }
}

/** Returns the parts of a request that hold attributes, with their places. */
function* structsOf(request: object): Generator<[place: string, struct: Struct]> {
  const { TransactItems: actions, RequestItems: tables } = request as Struct
  yield ['', request as Struct]
  if (Array.isArray(actions))
    for (const [i, action] of actions.entries()) yield* named(`${i} `, action)
  yield* named('', tables)
}

function* named(place: string, structs: unknown): Generator<[place: string, struct: Struct]> {
  if (!isObject(structs)) return
  for (const [name, struct] of Object.entries(structs))
    if (isObject(struct)) yield [`${place}.${name}`, struct]
}

function isObject(value: unknown): value is Struct {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A spend cap in USD. Undefined means no cap, which is higher than any cap. */
export type Cap = number | undefined

/** Reads a cap from a config. */
export function readCap(value: unknown): Cap {
  return typeof value === 'number' ? value : undefined
}

/** True if `after` allows more spending than `before`. */
export function raisesCap(before: Cap, after: Cap): boolean {
  return before !== undefined && (after === undefined || after > before)
}

export function lowerCap(one: Cap, other: Cap): Cap {
  return raisesCap(one, other) ? one : other
}

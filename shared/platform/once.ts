/** Creates a value at its first use, so that cold starts do not create values that their request does not need. */
/* @__NO_SIDE_EFFECTS__ */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

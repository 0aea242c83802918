/** Makes something when it is first asked for, so that what a request does not need costs no cold start. */
/* @__NO_SIDE_EFFECTS__ */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

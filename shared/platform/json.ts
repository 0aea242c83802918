/** Whether a JSON value is nested no deeper than `depth`; it looks no deeper itself. */
export function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1))
}

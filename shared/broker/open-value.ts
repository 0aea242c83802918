import type { Sealer } from '../platform/seal.ts'

/** Values that one process keeps; the one that was used longest ago goes first. */
const mostKept = 100

export type OpenValue = (
  seals: Sealer,
  sealed: string,
  place: string,
) => Promise<string | undefined>

/**
 * Opens sealed values, and keeps those that were used last: deriving a key for each use would cost more than its checks.
 * A text is sealed with a number of its own, so that another value is never found for it, and what was deleted is not asked for.
 */
export function valueOpener(): OpenValue {
  const kept = new Map<string, string>()
  return async (seals, sealed, place) => {
    const key = `${place}\n${sealed}`
    const value = kept.get(key) ?? (await seals.open(sealed, place))
    if (value === undefined) return undefined
    kept.delete(key)
    kept.set(key, value)
    const [oldest] = kept.keys()
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
    return value
  }
}

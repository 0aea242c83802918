import type { Sealer } from '#shared/platform/seal.ts'

/** The maximum number of values in a process's cache; the least recently used one is evicted first. */
const maxKept = 100

export type OpenValue = (
  seals: Sealer,
  sealed: string,
  place: string,
) => Promise<string | undefined>

/**
 * Decrypts values and caches the recently used ones: deriving a key takes longer than all checks of a use. Each
 * ciphertext has its own nonce, so the cache never returns another value, and a deleted value is no longer requested.
 */
export function valueOpener(): OpenValue {
  const cache = new Map<string, string>()
  return async (seals, sealed, place) => {
    const key = `${place}\n${sealed}`
    const value = cache.get(key) ?? (await seals.open(sealed, place))
    if (value === undefined) return undefined
    cache.delete(key)
    cache.set(key, value)
    const [oldest] = cache.keys()
    if (cache.size > maxKept && oldest !== undefined) cache.delete(oldest)
    return value
  }
}

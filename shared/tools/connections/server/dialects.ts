/** The dialect of a server: the MCP version without sessions, or an earlier version with a handshake. */
export type Dialect =
  | { era: 'stateless' }
  | { era: 'handshake'; version: string; session: string | undefined }

/** The known dialects of servers, so that only the first request of a process negotiates. */
export interface Dialects {
  get(key: string): Dialect | undefined
  set(key: string, dialect: Dialect): void
  forget(key: string): void
}

/** The most stored dialects. The least recently negotiated one is removed first. */
const maxKept = 500

/** Returns a store of dialects in memory. */
export function keptDialects(): Dialects {
  const kept = new Map<string, Dialect>()
  return {
    get: (key) => kept.get(key),
    set(key, dialect) {
      kept.delete(key)
      kept.set(key, dialect)
      const [oldest] = kept.keys()
      if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
    },
    forget: (key) => void kept.delete(key),
  }
}

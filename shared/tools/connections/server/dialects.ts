/** The kind of MCP version of a server: the one without sessions, or an earlier one after its handshake. */
export type Dialect =
  | { era: 'stateless' }
  | { era: 'handshake'; version: string; session: string | undefined }

/** The known dialects of servers, so that only the first request of a process negotiates. */
export interface Dialects {
  get(key: string): Dialect | undefined
  set(key: string, dialect: Dialect): void
  forget(key: string): void
}

/** The least recently negotiated one is forgotten first. */
const maxKept = 500

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

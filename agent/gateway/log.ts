import { Problem } from './http/problem.ts'
import type { Settings } from './settings.ts'

interface RequestEntry {
  requestId: string
  method: string | undefined
  path: string
  status: number
  ms: number
  failure: unknown
}

/** The gateway's standard output. It contains no secrets and no text of conversations. */
export interface Log {
  /** Writes a line for people. */
  info: (text: string) => void
  /** Writes one JSON line per request. */
  request: (entry: RequestEntry) => void
}

/** @param write receives one line without its line break */
export function createLog(settings: Settings, write: (line: string) => void): Log {
  const { agentId, generation } = settings
  return {
    info: write,
    request: ({ failure, ...entry }) => {
      const at = new Date().toISOString()
      write(JSON.stringify({ at, agentId, generation, ...entry, ...describe(failure) }))
    },
  }
}

function describe(failure: unknown): Record<string, string> {
  if (failure === undefined) return {}
  if (!(failure instanceof Problem)) {
    return { error: failure instanceof Error ? (failure.stack ?? failure.message) : 'unknown' }
  }
  const cause = failure.cause instanceof Error ? { cause: failure.cause.message } : {}
  return { code: failure.code, ...cause }
}

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

/** What the gateway says on its standard output: no secret and no word of a conversation. */
export interface Log {
  /** A line for people. */
  say: (text: string) => void
  /** One JSON line a request. */
  request: (entry: RequestEntry) => void
}

/** @param write takes one line without its end */
export function createLog(settings: Settings, write: (line: string) => void): Log {
  const { agentId, generation } = settings
  return {
    say: write,
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

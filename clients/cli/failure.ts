import { ConnectionError, PlatformError, TimeoutError } from '../typescript/index.ts'

/** What a process ends with. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notSignedIn: 3,
  notFound: 4,
  refused: 5,
  interrupted: 130,
} as const

/** A failure of the command line itself. */
export class CommandError extends Error {
  readonly exitCode: number
  /** What would help. */
  readonly next: string | undefined

  constructor(exitCode: number, message: string, next?: string) {
    super(message)
    this.exitCode = exitCode
    this.next = next
  }
}

/** Something must be decided first, and there is no person at a terminal to be asked. */
export class ActionRequired extends CommandError {
  constructor(message: string, next: string) {
    super(exitCodes.failed, message, next)
  }
}

/** The exit code of what was thrown. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode
  if (!(error instanceof PlatformError)) return exitCodes.failed
  const { status, code = '' } = error
  if (status === 401) return exitCodes.notSignedIn
  if (status === 404) return exitCodes.notFound
  const isRefused = status === 402 || status === 403 || status === 429 || /_LIMIT_|_CAP_/.test(code)
  return isRefused ? exitCodes.refused : exitCodes.failed
}

/** What a person may do about what was thrown; undefined where its message says all. @param url tells the platform's address */
export function remedyOf(error: unknown, url: () => string): string | undefined {
  if (error instanceof ConnectionError && !(error instanceof TimeoutError))
    return `Check that the platform runs at ${url()}; --url or PLATFORM_URL names another address.`
  const signIn = exitCodeOf(error) === exitCodes.notSignedIn ? 'agents login' : undefined
  const next = error instanceof CommandError ? (error.next ?? signIn) : signIn
  return next === undefined ? undefined : `Try: ${next}`
}

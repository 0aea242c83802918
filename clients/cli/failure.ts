import { ConnectionError, PlatformError, TimeoutError } from '../typescript/index.ts'

/** Exit codes of the process. */
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
  /** A command that the user can try next. */
  readonly next: string | undefined

  constructor(exitCode: number, message: string, next?: string) {
    super(message)
    this.exitCode = exitCode
    this.next = next
  }
}

/** The user must decide something first, and there is no terminal to ask at. */
export class ActionRequired extends CommandError {
  constructor(message: string, next: string) {
    super(exitCodes.failed, message, next)
  }
}

/** Returns the exit code for an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode
  if (!(error instanceof PlatformError)) return exitCodes.failed
  const { status, code = '' } = error
  if (status === 401) return exitCodes.notSignedIn
  if (status === 404) return exitCodes.notFound
  const isRefused = status === 402 || status === 403 || status === 429 || /_LIMIT_|_CAP_/.test(code)
  return isRefused ? exitCodes.refused : exitCodes.failed
}

/** Returns what the user can do about an error; undefined if the message is enough. @param url returns the platform's address */
export function remedyOf(error: unknown, url: () => string): string | undefined {
  if (error instanceof ConnectionError && !(error instanceof TimeoutError))
    return `Check that the platform runs at ${url()}. Use --url or PLATFORM_URL for another address.`
  const signIn = exitCodeOf(error) === exitCodes.notSignedIn ? 'agents login' : undefined
  const next = error instanceof CommandError ? (error.next ?? signIn) : signIn
  return next === undefined ? undefined : `Try: ${next}`
}

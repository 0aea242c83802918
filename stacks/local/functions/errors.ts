import type { ReportedError } from './protocol.ts'

/** Why an invocation failed: the handler threw, timed out, or its thread or process exited. */
export type FailureKind = 'failed' | 'timeout' | 'exited'

/** An invocation without a result. */
export class FunctionError extends Error {
  readonly kind: FailureKind
  readonly errorType: string

  constructor(kind: FailureKind, error: ReportedError) {
    super(error.errorMessage)
    this.name = 'FunctionError'
    this.kind = kind
    this.errorType = error.errorType
    this.stack = [`${error.errorType}: ${error.errorMessage}`, ...error.trace].join('\n')
  }
}

/** Returns any thrown value as Lambda reports it. */
export function report(error: unknown): ReportedError {
  if (!(error instanceof Error))
    return { errorType: typeof error, errorMessage: String(error), trace: [] }
  return {
    errorType: error.name,
    errorMessage: error.message,
    trace: (error.stack ?? '').split('\n').slice(1),
  }
}

/**
 * What the host and a function's runtime say to each other. Events and results travel as JSON text, exactly as Lambda
 * hands them over, so that a value which does not survive JSON does not survive here either.
 */

/** What a streaming function declares before its first byte: HttpResponseStream.from's metadata. */
export interface ResponseHead {
  statusCode?: number
  headers?: Record<string, string>
  cookies?: string[]
}

/** An error in the form in which Lambda reports it. */
export interface ReportedError {
  errorType: string
  errorMessage: string
  trace: string[]
}

/** What DynamoDB's API answers. */
export interface DatabaseAnswer {
  status: number
  body: string
}

export type ToRuntime =
  | {
      kind: 'invoke'
      id: number
      event: string
      requestId: string
      deadline: number
      upload?: { target: string; hasBody: boolean }
    }
  /** The next part of the body that was asked for. */
  | { kind: 'part'; id: number; bytes: Uint8Array }
  /** There is no more of the body, or it broke off. */
  | { kind: 'uploaded'; id: number; whole: boolean }
  /** The client took `bytes` of what was sent. */
  | { kind: 'taken'; id: number; bytes: number }
  /** The client hung up. */
  | { kind: 'gone'; id: number }
  /** What the database said to a question. */
  | { kind: 'answer'; id: number; answer: DatabaseAnswer }

export type FromRuntime =
  | { kind: 'result'; id: number; payload: string }
  | { kind: 'failure'; id: number; error: ReportedError }
  /** `alone`: no chunk follows at once, so a client must not be kept waiting for it. */
  | { kind: 'head'; id: number; head: ResponseHead; alone: boolean }
  | { kind: 'chunk'; id: number; bytes: Uint8Array }
  | { kind: 'end'; id: number }
  /** The function takes the next part of the request's body. */
  | { kind: 'more'; id: number }
  /** An operation for the embedded database, as JSON text; `id` is the question's own. */
  | { kind: 'ask'; id: number; operation: string; input: string }
  /** The bundle could not be loaded: no invocation of this runtime can succeed. */
  | { kind: 'unloadable'; error: ReportedError }

/** A thread also says what was written to its standard output. */
export type FromThread = FromRuntime | { kind: 'output'; text: string }

/** What a runtime needs to know about its function. */
export interface RuntimeSpec {
  name: string
  /** Absolute path of the bundle. */
  bundle: string
  memoryMb: number
  /** Deployed with response streaming; elsewhere a streamed answer would be lost. */
  streaming: boolean
  /** Whether the embedded database is in the host's process, and this function may ask it. */
  database: boolean
}

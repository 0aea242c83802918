/**
 * The messages between the host and a function's runtime. Events and results are JSON text, as on Lambda, so a value
 * that JSON cannot represent fails here too.
 */

/** Status, headers and cookies of a streamed response: the metadata of HttpResponseStream.from. */
export interface ResponseHead {
  statusCode?: number
  headers?: Record<string, string>
  cookies?: string[]
}

/** An error as Lambda reports it. */
export interface ReportedError {
  errorType: string
  errorMessage: string
  trace: string[]
}

/** A response of DynamoDB's API. */
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
      trace: string | undefined
      upload?: { target: string; hasBody: boolean }
    }
  /** The next part of the request body. */
  | { kind: 'part'; id: number; bytes: Uint8Array }
  /** The request body ended. `whole` is false if the connection broke. */
  | { kind: 'uploaded'; id: number; whole: boolean }
  /** The client read `bytes` of the response. */
  | { kind: 'taken'; id: number; bytes: number }
  /** The client disconnected. */
  | { kind: 'gone'; id: number }
  /** The database's answer to `ask`. */
  | { kind: 'answer'; id: number; answer: DatabaseAnswer }

export type FromRuntime =
  | { kind: 'result'; id: number; payload: string }
  | { kind: 'failure'; id: number; error: ReportedError }
  /** `alone`: no chunk follows immediately, so the head must be sent now. */
  | { kind: 'head'; id: number; head: ResponseHead; alone: boolean }
  | { kind: 'chunk'; id: number; bytes: Uint8Array }
  | { kind: 'end'; id: number }
  /** Asks for the next part of the request body. */
  | { kind: 'more'; id: number }
  /** Asks the embedded database for an operation, as JSON text. */
  | { kind: 'ask'; id: number; operation: string; input: string }
  /** The bundle failed to load, so every invocation fails. */
  | { kind: 'unloadable'; error: ReportedError }

/** A thread also sends its standard output. */
export type FromThread = FromRuntime | { kind: 'output'; text: string }

/** The parameters of a function's runtime. */
export interface RuntimeSpec {
  name: string
  /** Absolute path of the bundle. */
  bundle: string
  memoryMb: number
  /** Deployed with response streaming; without it a streamed response would be lost. */
  streaming: boolean
  /** True if the function can ask the embedded database in the host's process. */
  database: boolean
}

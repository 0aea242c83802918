/**
 * Why a server gave no result. `refused`: its address is not allowed; `unreachable`: no response, `neverSent` if it
 * certainly received nothing; `timeout`; `aborted`: the caller disconnected; `too-large`; `redirect`; `unauthorized`:
 * 401; `scope`: 403 insufficient_scope; `status`: another HTTP error; `invalid`: not a response of MCP; `rpc`: an error
 * of JSON-RPC, with the server's text.
 */
export type ServerFailureKind =
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'aborted'
  | 'too-large'
  | 'redirect'
  | 'unauthorized'
  | 'scope'
  | 'status'
  | 'invalid'
  | 'rpc'

interface FailureFacts {
  /** The HTTP status, if the server responded. */
  status?: number
  neverSent?: boolean
  /** The scopes that the server asks for. */
  scope?: string | undefined
  /** The code of JSON-RPC. */
  code?: number
  cause?: unknown
}

/** A request to an MCP server without a result. Only the message of `rpc` contains text of the server. */
export class ServerFailure extends Error {
  readonly kind: ServerFailureKind
  readonly facts: FailureFacts

  constructor(kind: ServerFailureKind, message: string, { cause, ...facts }: FailureFacts = {}) {
    super(message, { cause })
    this.name = 'ServerFailure'
    this.kind = kind
    this.facts = facts
  }
}

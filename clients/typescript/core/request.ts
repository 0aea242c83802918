import type { Operations } from '../generated/types.ts'
import type { RequestOptions } from './options.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** Method and path, as the API's document has them: `GET /api/agents/{id}`. */
export type Operation = keyof Operations
/** Operations that take an Idempotency-Key. */
export type IdempotentOperation = {
  [N in Operation]: Operations[N] extends { idempotent: true } ? N : never
}[Operation]

/** What is known of an operation. */
export interface OperationEntry {
  operation: Operation
  /** The group that it is listed under. */
  tag: string
  idempotent: boolean
  streams: boolean
}

/** What any request can carry. */
export interface Input {
  /** What stands in the braces of the path. */
  params?: Readonly<Record<string, unknown>> | undefined
  query?: Readonly<Record<string, unknown>> | undefined
  /** Sent as JSON, but for text, bytes and forms. */
  body?: unknown
  /** The body's media type where it is no JSON. */
  type?: string | undefined
}

/** What an operation takes. */
export type InputOf<N extends Operation> = Omit<
  Operations[N],
  'answer' | 'events' | 'idempotent'
> & {
  type?: string
}

export interface Prepared {
  method: string
  url: string
  headers: Record<string, string>
  body: RequestInit['body']
  /** It may be sent again: the platform does it once. */
  repeatable: boolean
}

/** @throws TypeError for a part of the path that is missing */
export function prepare(
  operation: string,
  { params = {}, query = {}, body, type = 'application/json' }: Input,
  { idempotencyKey, headers }: RequestOptions,
): Prepared {
  const [method = '', path = ''] = operation.split(' ')
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === '') throw new TypeError(`${operation} needs ${name}`)
    return encodeURIComponent(String(value))
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) search.set(name, String(value))
  const given = String(search)
  // Fetch names the type of a form itself.
  const isForm = body instanceof URLSearchParams
  const isRaw = isForm || typeof body === 'string' || body instanceof Uint8Array
  return {
    method,
    url: given === '' ? filled : `${filled}${filled.includes('?') ? '&' : '?'}${given}`,
    headers: {
      ...(body !== undefined && !isForm && { 'content-type': type }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...headers,
    },
    body: isRaw ? (body as RequestInit['body']) : JSON.stringify(body),
    repeatable: idempotencyKey !== undefined || /^(?:GET|PUT|DELETE)$/.test(method),
  }
}

export type BodyOf<N extends Operation> = Operations[N] extends { body?: infer B }
  ? NonNullable<B>
  : never
export type QueryOf<N extends Operation> = Operations[N] extends { query?: infer Q }
  ? NonNullable<Q>
  : never

import type { Operation } from './operation.ts'
import type { RequestOptions } from './options.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The metadata of an operation. */
export interface OperationEntry {
  operation: Operation
  /** Its tag in the API document. */
  tag: string
  idempotent: boolean
  streams: boolean
}

/** The parameters of any request. */
export interface Input {
  /** Path parameters by name. */
  params?: Readonly<Record<string, unknown>> | undefined
  query?: Readonly<Record<string, unknown>> | undefined
  /** Sent as JSON, except text, bytes, files and forms. */
  body?: unknown
  /** The media type of the body, if it is not JSON. Files and forms have their own type. */
  type?: string | undefined
}

export interface Prepared {
  method: string
  url: string
  headers: Record<string, string>
  body: RequestInit['body']
  /** A retry is safe, because the platform executes the request once. */
  repeatable: boolean
}

/** Builds the URL, headers and body of a request. @throws TypeError if a path parameter is missing */
export function prepare(
  operation: string,
  { params = {}, query = {}, body, type }: Input,
  { idempotencyKey, headers }: RequestOptions,
): Prepared {
  const [method = '', path = ''] = operation.split(' ')
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === '') throw new TypeError(`${operation} needs ${name}`)
    // URL parsers resolve dot segments, so these values would lead to another path.
    if (value === '.' || value === '..') throw new TypeError(`${operation} has no such ${name}`)
    return encodeURIComponent(String(value))
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) search.set(name, String(value))
  const encoded = String(search)
  // For forms and files, fetch sets the content type itself.
  const isTyped = body instanceof URLSearchParams || body instanceof Blob
  const isRaw = isTyped || typeof body === 'string' || body instanceof Uint8Array
  const media = type ?? (isTyped || body === undefined ? undefined : 'application/json')
  return {
    method,
    url: encoded === '' ? filled : `${filled}${filled.includes('?') ? '&' : '?'}${encoded}`,
    headers: {
      ...(media !== undefined && { 'content-type': media }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...headers,
    },
    body: isRaw ? (body as RequestInit['body']) : JSON.stringify(body),
    repeatable: idempotencyKey !== undefined || /^(?:GET|PUT|DELETE)$/.test(method),
  }
}

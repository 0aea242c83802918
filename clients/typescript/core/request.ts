import type { Operation } from './operation.ts'
import type { RequestOptions } from './options.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

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
  /** Sent as JSON, but for text, bytes, files and forms. */
  body?: unknown
  /** The body's media type where it is no JSON; files and forms have their own. */
  type?: string | undefined
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
  { params = {}, query = {}, body, type }: Input,
  { idempotencyKey, headers }: RequestOptions,
): Prepared {
  const [method = '', path = ''] = operation.split(' ')
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === '') throw new TypeError(`${operation} needs ${name}`)
    // Dots alone would lead to another path.
    if (value === '.' || value === '..') throw new TypeError(`${operation} has no such ${name}`)
    return encodeURIComponent(String(value))
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) search.set(name, String(value))
  const given = String(search)
  // Fetch names the type of a form or a file itself.
  const isTyped = body instanceof URLSearchParams || body instanceof Blob
  const isRaw = isTyped || typeof body === 'string' || body instanceof Uint8Array
  const media = type ?? (isTyped || body === undefined ? undefined : 'application/json')
  return {
    method,
    url: given === '' ? filled : `${filled}${filled.includes('?') ? '&' : '?'}${given}`,
    headers: {
      ...(media !== undefined && { 'content-type': media }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...headers,
    },
    body: isRaw ? (body as RequestInit['body']) : JSON.stringify(body),
    repeatable: idempotencyKey !== undefined || /^(?:GET|PUT|DELETE)$/.test(method),
  }
}

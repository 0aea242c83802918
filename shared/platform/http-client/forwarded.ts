import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { PlatformError } from '../errors.ts'
import { connectionHeaders } from './header-names.ts'

/** Not forwarded: the caller's identity, and headers that were added on the way to the platform. */
const ownHeaders =
  /^(?:authorization|cookie|host|content-length|accept-encoding|forwarded|via|x-forwarded-.*|x-real-ip|x-origin-secret|x-viewer-.*|x-request-id|x-session|x-amzn?-.*|cloudfront-.*)$/

/**
 * Returns the headers of a caller's request that another host gets, without the headers of the connection, the caller's
 * key and the route. Requests an uncompressed response.
 */
export function forwardedHeaders(requestHeaders: Headers, hasBody: boolean): OutgoingHttpHeaders {
  const named = connectionNames(requestHeaders.get('connection') ?? '')
  const headers: OutgoingHttpHeaders = {}
  for (const [key, value] of requestHeaders)
    if (!ownHeaders.test(key) && !connectionHeaders.has(key) && !named.has(key))
      headers[key] = value
  const length = requestHeaders.get('content-length')
  if (hasBody && length !== null && !named.has('content-length')) headers['content-length'] = length
  headers['accept-encoding'] = 'identity'
  return headers
}

/** Headers that differ between identical requests. The host does not need them. */
const volatile = new Set(['accept-encoding', 'traceparent', 'tracestate', 'baggage', 'date'])

/** Returns the headers to store for a request that is forwarded later. They are equal for identical requests. */
export function storedHeaders(requestHeaders: Headers, hasBody: boolean) {
  const forwarded = Object.entries(forwardedHeaders(requestHeaders, hasBody))
  return Object.fromEntries(forwarded.filter(([name]) => !volatile.has(name)).sort())
}

/** Names the approval that a request waits for, in the platform's own responses only. */
export const approvalHeader = 'x-approval-id'

/**
 * Returns the headers of another host's response for the caller, without the headers of the connection and of the
 * platform.
 */
export function returnedHeaders(
  responseHeaders: IncomingHttpHeaders,
): [name: string, text: string][] {
  const named = connectionNames(responseHeaders.connection ?? '')
  return Object.entries(responseHeaders).flatMap(([name, values = []]) => {
    if (connectionHeaders.has(name) || named.has(name) || name === approvalHeader) return []
    return [values].flat().map((text): [string, string] => [name, text])
  })
}

/** Returns the header names in a `connection` header, which belong to the connection too. */
function connectionNames(text: string): ReadonlySet<string> {
  return new Set(text.split(',').map((name) => name.trim().toLowerCase()))
}

/** The characters of a request line: RFC 3986's, and others that servers accept. */
const allowedPath = /^\/[\x21-\x7e]*$/

/** `.` and `..`, even if encoded. The server or the platform's own edge may resolve them. */
const dotSegment = /^(?:\.|%2e){1,2}$/i

/** Printable ASCII without `%` and `\\`, and no dot segment, which could resolve to a path of another route. */
const hostForm = /^(?!\.{1,2}$)[!-$&-[\]-~]+$/

/** Reports whether a host in a path can only be read as that host. */
export function isPlainHost(host: string): boolean {
  return hostForm.test(host)
}

/**
 * Checks a path that is forwarded byte for byte, with its query.
 * @throws PlatformError 400
 */
export function requirePlainPath(path: string): void {
  const [bare = ''] = path.split('?', 1)
  if (!allowedPath.test(path)) throw new PlatformError('bad-request', 'The path must be encoded')
  if (bare.split(/\/|\\|%2f|%5c/i).some((segment) => dotSegment.test(segment)))
    throw new PlatformError('bad-request', 'The path must not have "." or ".." as a segment')
}

/** Returns a path for one line of text. Its query, which can contain secrets, is shown as `?…`. */
export function pathInWords(path: string): string {
  const [bare = ''] = path.split('?', 1)
  return bare === path ? path : `${bare}?…`
}

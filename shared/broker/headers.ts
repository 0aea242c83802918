import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { connectionHeaders } from '../platform/http-client/header-names.ts'
import { redactText } from './redact.ts'

/** Not passed on: who the caller is, and what was added on the way to the platform. */
const ownHeaders =
  /^(?:authorization|cookie|host|content-length|accept-encoding|forwarded|via|x-forwarded-.*|x-real-ip|x-origin-secret|x-viewer-.*|x-request-id|x-amzn?-.*|cloudfront-.*)$/

/**
 * What of a caller's headers is passed on: nothing of its connection, its key or its way here. The answer is asked for
 * unpacked, because a packed one would hide the credential's value from who looks for it.
 */
export function outgoingHeaders(
  given: Headers,
  [name, text]: readonly [name: string, text: string],
  hasBody: boolean,
): OutgoingHttpHeaders {
  const named = connectionNames(given.get('connection') ?? '')
  const headers: OutgoingHttpHeaders = {}
  for (const [key, value] of given)
    if (!ownHeaders.test(key) && !connectionHeaders.has(key) && !named.has(key))
      headers[key] = value
  const length = given.get('content-length')
  if (hasBody && length !== null && !named.has('content-length')) headers['content-length'] = length
  headers['accept-encoding'] = 'identity'
  headers[name] = text
  return headers
}

/** What of a host's headers is passed back, without the credential's value where one says that in its text or name. */
export function incomingHeaders(
  given: IncomingHttpHeaders,
  forms: readonly string[],
): [name: string, text: string][] {
  const named = connectionNames(given.connection ?? '')
  const lower = forms.map((form) => form.toLowerCase())
  return Object.entries(given).flatMap(([name, values = []]) => {
    if (connectionHeaders.has(name) || named.has(name)) return []
    if (lower.some((form) => name.includes(form))) return []
    return [values].flat().map((text): [string, string] => [name, redactText(text, forms)])
  })
}

/** What a `connection` header says belongs to the connection too. */
function connectionNames(text: string): ReadonlySet<string> {
  return new Set(text.split(',').map((name) => name.trim().toLowerCase()))
}

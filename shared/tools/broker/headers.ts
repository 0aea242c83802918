import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { connectionHeaders } from '#shared/platform/http-client/header-names.ts'
import { redactText } from './redact.ts'

/** Not forwarded: the caller's identity, and headers that were added on the way to the platform. */
const ownHeaders =
  /^(?:authorization|cookie|host|content-length|accept-encoding|forwarded|via|x-forwarded-.*|x-real-ip|x-origin-secret|x-viewer-.*|x-request-id|x-amzn?-.*|cloudfront-.*)$/

/**
 * Returns the headers to forward, without the headers of the connection, the caller's key and the route. Requests an
 * uncompressed response, because the credential's value could not be found in a compressed one.
 */
export function outgoingHeaders(
  requestHeaders: Headers,
  [name, text]: readonly [name: string, text: string],
  hasBody: boolean,
): OutgoingHttpHeaders {
  const named = connectionNames(requestHeaders.get('connection') ?? '')
  const headers: OutgoingHttpHeaders = {}
  for (const [key, value] of requestHeaders)
    if (!ownHeaders.test(key) && !connectionHeaders.has(key) && !named.has(key))
      headers[key] = value
  const length = requestHeaders.get('content-length')
  if (hasBody && length !== null && !named.has('content-length')) headers['content-length'] = length
  headers['accept-encoding'] = 'identity'
  headers[name] = text
  return headers
}

/**
 * Returns the host's headers for the caller, with the credential's value redacted in texts and without names that
 * contain it.
 */
export function incomingHeaders(
  responseHeaders: IncomingHttpHeaders,
  forms: readonly string[],
): [name: string, text: string][] {
  const named = connectionNames(responseHeaders.connection ?? '')
  const lower = forms.map((form) => form.toLowerCase())
  return Object.entries(responseHeaders).flatMap(([name, values = []]) => {
    if (connectionHeaders.has(name) || named.has(name)) return []
    if (lower.some((form) => name.includes(form))) return []
    return [values].flat().map((text): [string, string] => [name, redactText(text, forms)])
  })
}

/** Returns the header names in a `connection` header, which belong to the connection too. */
function connectionNames(text: string): ReadonlySet<string> {
  return new Set(text.split(',').map((name) => name.trim().toLowerCase()))
}

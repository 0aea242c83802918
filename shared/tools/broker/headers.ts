import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { forwardedHeaders, returnedHeaders } from '#shared/platform/http-client/forwarded.ts'
import { redactText } from './redact.ts'

/**
 * Returns the headers to forward, with the credential. Requests an uncompressed response, because the credential's
 * value could not be found in a compressed one.
 */
export function outgoingHeaders(
  requestHeaders: Headers,
  [name, text]: readonly [name: string, text: string],
  hasBody: boolean,
): OutgoingHttpHeaders {
  return { ...forwardedHeaders(requestHeaders, hasBody), [name]: text }
}

/**
 * Returns the host's headers for the caller, with the credential's value redacted in texts and without names that
 * contain it.
 */
export function incomingHeaders(
  responseHeaders: IncomingHttpHeaders,
  forms: readonly string[],
): [name: string, text: string][] {
  const lower = forms.map((form) => form.toLowerCase())
  return returnedHeaders(responseHeaders)
    .filter(([name]) => !lower.some((form) => name.includes(form)))
    .map(([name, text]) => [name, redactText(text, forms)])
}

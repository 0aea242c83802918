import { PlatformError } from '#shared/platform/errors.ts'
import type { HttpAnswer } from '#shared/platform/http-client/client.ts'
import { HttpFailure, neverSent } from '#shared/platform/http-client/failure.ts'
import type { AdapterContext, Outcome } from './adapter.ts'
import { jsonText } from './json-body.ts'

/** Why a service did not carry out a call. */
export type Refusal = Extract<Outcome, { state: 'retry' | 'failed' }>

export interface ServiceCall {
  url: string
  /** Default: POST with a body, otherwise GET. */
  method?: string
  /** Sent as the bearer. */
  token?: string | undefined
  type?: string
  body?: Uint8Array<ArrayBuffer>
}

export interface ServiceAnswer {
  status: number
  headers: HttpAnswer['headers']
  /** Undefined if the body is not JSON. */
  json: unknown
}

/** Calls a service and reads its response as JSON. @throws HttpFailure without a whole response */
export async function callService(ctx: AdapterContext, call: ServiceCall): Promise<ServiceAnswer> {
  const answer = await openService(ctx, call)
  const text = (await answer.whole()).toString()
  return { status: answer.status, headers: answer.headers, json: jsonText(text) }
}

/**
 * Calls a service. The caller reads or closes the response.
 * @param maxBytes the largest response; default: 1 MB
 * @throws HttpFailure without a response
 */
export function openService(
  { http }: AdapterContext,
  { url, method, token, type, body }: ServiceCall,
  maxBytes?: number,
): Promise<HttpAnswer> {
  return http({
    url,
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(type !== undefined && { 'content-type': type }),
    },
    body: body && Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    ...(maxBytes !== undefined && { maxBytes }),
  })
}

/** Returns the seconds of `Retry-After`; undefined without the header, and for a date. */
export function retryAfter({ headers }: Pick<ServiceAnswer, 'headers'>): number | undefined {
  const value = headers['retry-after']
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) : undefined
}

/**
 * Returns the outcome of a message whose response did not arrive: it is tried again if the service certainly received
 * nothing.
 * @throws any error that is not an HttpFailure
 */
export function lostOutcome(error: unknown): Extract<Outcome, { state: 'retry' | 'unknown' }> {
  if (!(error instanceof HttpFailure)) throw error
  return { state: neverSent(error) ? 'retry' : 'unknown', reason: error.message }
}

/**
 * Returns whether a token may be sent to an address that a service named: on the host of its API, a subdomain, or one
 * of `others`, over https.
 */
export function isOfService(address: string, api: string, others: readonly string[] = []): boolean {
  const url = URL.parse(address)
  const own = new URL(api)
  if (url === null || url.username !== '') return false
  if (url.origin === own.origin) return true
  const { hostname, protocol, port } = url
  const named =
    hostname.endsWith(`.${own.hostname}`) || [own.hostname, ...others].includes(hostname)
  return named && protocol === 'https:' && port === ''
}

/** Returns whether a request with this status can succeed later. */
export function isTransient(status: number): boolean {
  return status === 429 || status >= 500
}

/** Returns the error for a file that a service does not hand out: 503 if it may do so later, otherwise 502. */
export function refusedFile(reason: string, mayRepeat: boolean): PlatformError {
  return new PlatformError(mayRepeat ? 'unavailable' : 'bad-gateway', reason)
}

import type { OutgoingHttpHeaders } from 'node:http'
import { PlatformError } from '#shared/platform/errors.ts'
import { type HttpAnswer, sendRequest } from '#shared/platform/http-client/client.ts'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import { forwardedHeaders } from '#shared/platform/http-client/forwarded.ts'
import { publicTarget } from '#shared/platform/http-client/guarded.ts'
import { AddressRefused } from '#shared/platform/http-client/public-url.ts'
import type { PayContext } from './context.ts'
import type { PaidRequest } from './request.ts'

/** Below the idle timeout of the edge (60 s), and a bound for hosts that answer slowly. */
const timeouts = { idleMs: 55_000, totalMs: 240_000 }

/** Headers of a payment, which only the platform sets. */
const paymentHeaders = ['payment-signature', 'x-payment', 'x-payment-id']

/**
 * Sends the agent's request to its host, over HTTPS and only to public addresses. Redirects are returned.
 * @param payment the header PAYMENT-SIGNATURE
 * @throws PlatformError 403 PAYMENT_HOST_REFUSED, 502 PAYMENT_HOST_UNREACHABLE, 504 PAYMENT_HOST_TIMEOUT
 */
export async function sendToHost(
  ctx: Pick<PayContext, 'allowed' | 'resolve' | 'idleMs'>,
  { method, host, path, headers: given, body, signal }: PaidRequest,
  payment?: string,
): Promise<HttpAnswer> {
  const headers: OutgoingHttpHeaders = forwardedHeaders(given, body !== null)
  for (const name of paymentHeaders) delete headers[name]
  if (body !== null) headers['content-length'] = body.length
  if (payment !== undefined) headers['payment-signature'] = payment
  try {
    const url = URL.parse(`https://${host}/`)
    if (url === null || url.host !== host) throw new AddressRefused()
    const { allowed, resolve, idleMs = timeouts.idleMs } = ctx
    const answer = await sendRequest({
      target: { ...publicTarget(url, { allowed, resolve, anyPort: true }), path },
      method,
      headers,
      body: body ?? undefined,
      timeouts: { ...timeouts, idleMs },
      signal,
    })
    if (answer.status >= 200 && answer.status <= 599) return answer
    answer.close()
    throw new HttpFailure('closed', 'the host responded with an invalid HTTP status')
  } catch (error) {
    throw error instanceof HttpFailure ? refusalOf(error) : error
  }
}

/** Returns the API error for a failed request to a host. */
export function refusalOf(failure: HttpFailure): PlatformError {
  const options = { foreign: true, cause: failure } as const
  if (failure instanceof AddressRefused)
    return new PlatformError('forbidden', 'Requests to the host are not allowed', {
      code: 'PAYMENT_HOST_REFUSED',
    })
  if (failure.kind === 'aborted')
    return new PlatformError('bad-request', 'The caller disconnected before the response', {
      ...options,
      code: 'CLIENT_CLOSED_REQUEST',
    })
  if (failure.kind === 'idle' || failure.kind === 'total')
    return new PlatformError('timeout', 'The host did not answer in time', {
      ...options,
      code: 'PAYMENT_HOST_TIMEOUT',
    })
  return new PlatformError('bad-gateway', `The host could not be reached: ${failure.message}`, {
    ...options,
    code: 'PAYMENT_HOST_UNREACHABLE',
  })
}

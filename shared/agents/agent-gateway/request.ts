import type { Address } from '#shared/platform/containers/port.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { type HttpAnswer, sendRequest } from '#shared/platform/http-client/client.ts'
import type { HttpFailure } from '#shared/platform/http-client/failure.ts'

/** Timeouts in milliseconds. */
export interface AgentTimeouts {
  /** The time until the first byte, and between two bytes. */
  idleMs: number
  /** The time until the last byte. Below the function's timeout, so that the caller gets the error. */
  totalMs: number
}

export interface AgentRequest {
  address: Address
  /** The gateway's bearer token. */
  token: string
  /** True if the agent has connections. The request contains it. */
  hasConnections: boolean
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  path: string
  /** Sent as JSON. */
  body?: unknown
  requestId?: string | undefined
  /** W3C Trace Context. The agent passes it on in its own calls for this request. */
  traceparent?: string | undefined
  tracestate?: string | undefined
  /** Aborted when the caller disconnects, which also ends the agent's work. */
  signal?: AbortSignal | undefined
}

/** Reading the body throws PlatformError 502 if the connection breaks, and 504 if the agent stops sending. */
export type AgentResponse = Pick<HttpAnswer, 'status' | 'headers' | 'body'>

/**
 * Sends one request to an agent's gateway. Each request has its own connection: on a reused one, a lost request cannot
 * be distinguished from an executed one, and a retry could execute it twice. Redirects are not followed, because an
 * agent must not redirect the platform.
 * @throws PlatformError 502 AGENT_UNREACHABLE, 504 AGENT_TIMEOUT, 400 if the caller disconnected
 */
export function requestAgent(
  {
    address,
    token,
    hasConnections,
    method,
    path,
    body,
    requestId,
    traceparent,
    tracestate,
    signal,
  }: AgentRequest,
  timeouts: AgentTimeouts,
): Promise<AgentResponse> {
  return sendRequest({
    target: { ...address, path },
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(hasConnections && { 'platform-connections': '1' }),
      ...(requestId !== undefined && { 'x-request-id': requestId }),
      ...(traceparent !== undefined && { traceparent }),
      ...(tracestate !== undefined && { tracestate }),
    },
    json: body,
    timeouts,
    signal,
    toError: (failure) => toPlatformError(failure, timeouts),
  })
}

function toPlatformError(failure: HttpFailure, { idleMs, totalMs }: AgentTimeouts): PlatformError {
  const { kind } = failure
  if (kind === 'aborted') return new PlatformError('bad-request', 'The caller disconnected')
  if (kind === 'idle' || kind === 'total') {
    const seconds = (kind === 'idle' ? idleMs : totalMs) / 1000
    return new PlatformError('timeout', `The agent did not answer within ${seconds} s`, {
      code: 'AGENT_TIMEOUT',
    })
  }
  const what =
    kind === 'closed' ? 'The agent’s answer was interrupted' : 'The agent cannot be reached'
  return new PlatformError('bad-gateway', what, { code: 'AGENT_UNREACHABLE', cause: failure })
}

import type { Address } from '../platform/containers/port.ts'
import { PlatformError } from '../platform/errors.ts'
import { type HttpAnswer, sendRequest } from '../platform/http-client/client.ts'
import type { HttpFailure } from '../platform/http-client/failure.ts'

/** How long an agent may take: milliseconds. */
export interface AgentTimeouts {
  /** To the first byte, and between any two after it. */
  idleMs: number
  /** To the last one; less than the function lives, so that the caller still hears of it. */
  totalMs: number
}

export interface AgentRequest {
  address: Address
  /** The gateway's bearer token. */
  token: string
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  path: string
  /** Sent as JSON. */
  body?: unknown
  requestId?: string | undefined
  /** W3C Trace Context: what the agent asks for this request says so, too. */
  traceparent?: string | undefined
  tracestate?: string | undefined
  /** Aborted when the caller leaves; the agent's work ends with it. */
  signal?: AbortSignal | undefined
}

/** Its body throws PlatformError: 502 where it breaks off, 504 where the agent falls silent. */
export type AgentResponse = Pick<HttpAnswer, 'status' | 'headers' | 'body'>

/**
 * Sends one request to an agent's gateway. Each has a connection of its own: on one that was kept open, a request that
 * got lost could not be told from one that was carried out, and trying again could do it twice. Redirects are answers
 * like any other: what an agent says must not send the platform elsewhere.
 * @throws PlatformError 502 AGENT_UNREACHABLE, 504 AGENT_TIMEOUT, 400 where the caller left
 */
export function requestAgent(
  { address, token, method, path, body, requestId, traceparent, tracestate, signal }: AgentRequest,
  timeouts: AgentTimeouts,
): Promise<AgentResponse> {
  return sendRequest({
    target: { ...address, path },
    method,
    headers: {
      authorization: `Bearer ${token}`,
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
  if (kind === 'aborted') return new PlatformError('bad-request', 'The caller left')
  if (kind === 'idle' || kind === 'total') {
    const seconds = (kind === 'idle' ? idleMs : totalMs) / 1000
    return new PlatformError('timeout', `The agent did not answer within ${seconds} s`, {
      code: 'AGENT_TIMEOUT',
    })
  }
  const what = kind === 'closed' ? 'The agent’s answer broke off' : 'The agent cannot be reached'
  return new PlatformError('bad-gateway', what, { code: 'AGENT_UNREACHABLE', cause: failure })
}

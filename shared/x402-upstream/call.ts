import { notConfigured } from '../platform/errors.ts'
import { sendRequest } from '../platform/http-client/client.ts'
import { targetOf } from '../platform/http-client/connections.ts'

/** X402_GATEWAY_URL; undefined while it is not set. */
export interface UpstreamContext {
  gatewayUrl: string | undefined
}

export interface UpstreamCall {
  /** Below the gateway's address; ids in it are encoded. */
  path: string
  /** Posted as JSON; without it the call is a GET. */
  json?: unknown
  headers?: Record<string, string>
  timeoutMs: number
}

/** An answer in JSON: an object. */
export interface UpstreamReply {
  status: number
  body: Record<string, unknown>
}

/** What a gateway may say at once; every answer of spec.md is far below it. */
const maxBytes = 1_048_576

/** @throws PlatformError 503 naming the setting */
export function requireGateway({ gatewayUrl }: UpstreamContext): string {
  if (gatewayUrl === undefined) throw notConfigured('The x402 gateway', ['X402_GATEWAY_URL'])
  return gatewayUrl
}

/**
 * Calls the x402 gateway. A redirect is an answer like any other and leads nowhere.
 * @throws PlatformError 503 unconfigured
 * @throws HttpFailure where there is no answer in time, and Error for one that is no JSON object
 */
export async function callUpstream(
  ctx: UpstreamContext,
  { path, json, headers = {}, timeoutMs }: UpstreamCall,
): Promise<UpstreamReply> {
  const answer = await sendRequest({
    target: targetOf(requireGateway(ctx) + path),
    json,
    headers: { accept: 'application/json', ...headers },
    timeouts: { totalMs: timeoutMs },
    maxBytes,
  })
  const text = (await answer.whole()).toString()
  return { status: answer.status, body: objectIn(text) }
}

/** @throws Error without the text, which is another's */
function objectIn(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('the answer of the x402 gateway is no JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('the answer of the x402 gateway is no object')
  return { ...value }
}

export function isSuccess({ status }: UpstreamReply): boolean {
  return status >= 200 && status <= 299
}

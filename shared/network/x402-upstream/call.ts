import { notConfigured } from '#shared/platform/errors.ts'
import { sendRequest } from '#shared/platform/http-client/client.ts'
import { targetOf } from '#shared/platform/http-client/connections.ts'

export interface HasX402Gateway {
  /** X402_GATEWAY_URL; undefined if not set. */
  gatewayUrl: string | undefined
}

export interface UpstreamCall {
  /** The path relative to the gateway's address, with encoded ids. */
  path: string
  /** The JSON body of a POST; without it the call is a GET. */
  json?: unknown
  headers?: Record<string, string>
  timeoutMs: number
}

/** A response with a JSON object. */
export interface UpstreamReply {
  status: number
  body: Record<string, unknown>
}

/** The maximum size of a response; every response of spec.md is far smaller. */
const maxBytes = 1_048_576

/** @throws PlatformError 503 with the setting's name */
export function requireGateway({ gatewayUrl }: HasX402Gateway): string {
  if (gatewayUrl === undefined) throw notConfigured('The x402 gateway', ['X402_GATEWAY_URL'])
  return gatewayUrl
}

/**
 * Calls the x402 gateway. Redirects are returned, not followed.
 * @throws PlatformError 503 if not configured
 * @throws HttpFailure if no response arrives in time, and Error if it is not a JSON object
 */
export async function callUpstream(
  ctx: HasX402Gateway,
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

/** @throws Error that does not contain the text, because it comes from another server */
function objectIn(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('the answer of the x402 gateway is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('the answer of the x402 gateway is not an object')
  return { ...value }
}

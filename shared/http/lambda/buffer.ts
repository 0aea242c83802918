import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Env, Hono } from 'hono'
import {
  type APIGatewayProxyResult,
  handle,
  type LambdaContext,
  type LambdaEvent,
} from 'hono/aws-lambda'
import { idPrefixes } from '../../manifest/ids.ts'
import { newId } from '../../platform/ids.ts'

/** What tells of a body, and is left out with it. */
const bodyHeaders = new Set(['content-length', 'content-type', 'transfer-encoding'])

/**
 * The adapter for functions behind an HTTP API, which buffers answers. A GET or HEAD that carries a body is one without
 * it, since a web Request cannot carry it; what is no request at all is answered here, as the app would.
 */
export function bufferHandler<E extends Env>(app: Hono<E>) {
  const answer = handle(app)
  return async (
    event: APIGatewayProxyEventV2,
    context?: LambdaContext,
  ): Promise<APIGatewayProxyResult> => {
    const result = await answer(withBlanks(withoutBody(event)) as unknown as LambdaEvent, context)
    return result.headers?.['x-request-id'] === undefined ? refusal(result) : result
  }
}

/** Hono leaves out a header whose value is empty; a caller that names a blank user must not count as one that names none. */
function withBlanks(event: APIGatewayProxyEventV2): APIGatewayProxyEventV2 {
  const headers = Object.entries(event.headers)
  if (headers.every(([, value]) => value !== '')) return event
  // A web Headers makes an empty value of it.
  const kept = headers.map(([name, value]) => [name, value === '' ? ' ' : value])
  return { ...event, headers: Object.fromEntries(kept) }
}

function withoutBody(event: APIGatewayProxyEventV2): APIGatewayProxyEventV2 {
  const { method } = event.requestContext.http
  if (event.body === undefined || (method !== 'GET' && method !== 'HEAD')) return event
  const headers = Object.entries(event.headers).filter(
    ([name]) => !bodyHeaders.has(name.toLowerCase()),
  )
  const { body: _, ...rest } = event
  return { ...rest, headers: Object.fromEntries(headers), isBase64Encoded: false }
}

/** Hono says in plain text that it cannot make a request of the event. */
function refusal({ statusCode }: APIGatewayProxyResult): APIGatewayProxyResult {
  const error = statusCode < 500 ? 'Bad request' : 'Internal server error'
  return {
    statusCode,
    headers: { 'content-type': 'application/json', 'x-request-id': newId(idPrefixes.request) },
    body: JSON.stringify({ error }),
    isBase64Encoded: false,
  }
}

import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Env, Hono } from 'hono'
import {
  type APIGatewayProxyResult,
  handle,
  type LambdaContext,
  type LambdaEvent,
} from 'hono/aws-lambda'
import { idPrefixes } from '#shared/manifest/ids.ts'
import { newId } from '#shared/platform/ids.ts'

/** Headers that describe a body, which are removed together with the body. */
const bodyHeaders = new Set(['content-length', 'content-type', 'transfer-encoding'])

/**
 * The adapter for functions behind an HTTP API, which buffers responses. The body of a GET or HEAD is removed,
 * since a web Request cannot have one; malformed requests are answered here, in the app's form.
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

/**
 * Hono drops headers with an empty value; a caller that sends a blank user name must not be treated as a caller without
 * the header.
 */
function withBlanks(event: APIGatewayProxyEventV2): APIGatewayProxyEventV2 {
  const headers = Object.entries(event.headers)
  if (headers.every(([, value]) => value !== '')) return event
  // A web Headers turns the blank into an empty value.
  const pairs = headers.map(([name, value]) => [name, value === '' ? ' ' : value])
  return { ...event, headers: Object.fromEntries(pairs) }
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

/** Returns the error in the app's format: Hono responds in plain text if it cannot create a request from the event. */
function refusal({ statusCode }: APIGatewayProxyResult): APIGatewayProxyResult {
  const error = statusCode < 500 ? 'Bad request' : 'Internal server error'
  return {
    statusCode,
    headers: { 'content-type': 'application/json', 'x-request-id': newId(idPrefixes.request) },
    body: JSON.stringify({ error }),
    isBase64Encoded: false,
  }
}

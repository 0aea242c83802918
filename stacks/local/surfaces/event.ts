import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { connectionHeaders } from '../headers.ts'
import type { Route } from './routes.ts'

const textual = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|javascript)\b)/i
const plainHost = /^(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$/i

/** Returns the host for addresses that functions build. On AWS, requests can only use the API's own host names. */
export function domainOf(host: string): string {
  return plainHost.test(host) && URL.canParse(`http://${host}`) ? host : 'localhost'
}

/** Returns a request as an HTTP API passes it to a function: payload format 2.0. */
export function toEvent(
  request: IncomingMessage,
  target: URL,
  route: Route,
  body: Buffer | undefined,
): APIGatewayProxyEventV2 {
  const { headers, cookies } = readHeaders(request.rawHeaders)
  const sourceIp = (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  const forwardedFor = headers['x-forwarded-for']
  headers['x-forwarded-for'] = forwardedFor ? `${forwardedFor}, ${sourceIp}` : sourceIp
  headers['x-forwarded-port'] = String(request.socket.localPort)
  headers['x-forwarded-proto'] = 'http'
  const host = headers['host'] ?? ''
  const now = new Date()
  const rawQueryString = target.search.slice(1)
  return {
    version: '2.0',
    routeKey: route.routeKey,
    rawPath: target.pathname,
    rawQueryString,
    ...(cookies.length > 0 && { cookies }),
    headers,
    ...(rawQueryString !== '' && { queryStringParameters: readQuery(target.searchParams) }),
    ...(route.proxy !== undefined && { pathParameters: { proxy: route.proxy } }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: domainOf(host),
      domainPrefix: 'local',
      http: {
        method: request.method ?? 'GET',
        path: target.pathname,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: route.routeKey,
      stage: '$default',
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...encodeBody(body, headers['content-type']),
  }
}

function readHeaders(raw: readonly string[]) {
  const headers: Record<string, string> = Object.create(null)
  const cookies: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase()
    const value = raw[i + 1] ?? ''
    // Cookies have their own field.
    if (name === 'cookie') cookies.push(...value.split(/;\s*/).filter(Boolean))
    if (name === 'cookie' || connectionHeaders.has(name)) continue
    const earlier = headers[name]
    headers[name] = earlier === undefined ? value : `${earlier},${value}`
  }
  return { headers, cookies }
}

function readQuery(search: URLSearchParams): Record<string, string> {
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of search)
    query[name] = name in query ? `${query[name]},${value}` : value
  return query
}

/** Returns text types unchanged and everything else in base64, including forms, as an HTTP API does. */
function encodeBody(body: Buffer | undefined, contentType = '') {
  if (body === undefined) return { isBase64Encoded: false }
  const asText = textual.test(contentType) && isUtf8(body)
  return { body: body.toString(asText ? 'utf8' : 'base64'), isBase64Encoded: !asText }
}

/** Formats a time as `21/Nov/2026:04:33:27 +0000`. */
export function commonLogTime(date: Date): string {
  // `Sat, 21 Nov 2026 04:33:27 GMT`
  const text = date.toUTCString()
  return `${text.slice(5, 7)}/${text.slice(8, 11)}/${text.slice(12, 16)}:${text.slice(17, 25)} +0000`
}

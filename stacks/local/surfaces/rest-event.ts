import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { connectionHeaders } from '../headers.ts'
import { commonLogTime, domainOf } from './event.ts'
import type { Route } from './routes.ts'

/**
 * Returns a request as a REST API, the kind of API that streams, passes it to a function: payload format 1.0.
 * @param binary whether the API declares binary media types; without them it passes every body as text
 */
export function toRestEvent(
  request: IncomingMessage,
  target: URL,
  route: Route,
  body: Buffer | undefined,
  binary: boolean,
): APIGatewayProxyEvent {
  const { method = 'GET', headers, socket, httpVersion } = request
  const sourceIp = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  const sent = valuesOf(headerPairs(request.rawHeaders))
  const query = valuesOf([...target.searchParams])
  const now = new Date()
  const resource = route.routeKey.replace(/^ANY /, '')
  return {
    resource,
    path: target.pathname,
    httpMethod: method,
    headers: lastOf(sent),
    multiValueHeaders: sent,
    queryStringParameters: Object.keys(query).length > 0 ? lastOf(query) : null,
    multiValueQueryStringParameters: Object.keys(query).length > 0 ? query : null,
    pathParameters: route.proxy === undefined ? null : { proxy: route.proxy },
    stageVariables: null,
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      authorizer: null,
      domainName: domainOf(headers.host ?? ''),
      domainPrefix: 'local',
      httpMethod: method,
      identity: { ...anonymous, sourceIp, userAgent: headers['user-agent'] ?? null },
      path: target.pathname,
      protocol: `HTTP/${httpVersion}`,
      requestId: randomUUID(),
      requestTime: commonLogTime(now),
      requestTimeEpoch: now.getTime(),
      resourceId: resource,
      resourcePath: resource,
      stage: 'live',
    },
    body: body === undefined ? null : body.toString(binary ? 'base64' : 'utf8'),
    isBase64Encoded: binary && body !== undefined,
  }
}

/** The `identity` of an unauthenticated caller at a REST API. */
const anonymous = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
}

/** Header names keep their case, unlike in payload format 2.0. */
function headerPairs(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? ''
    if (!connectionHeaders.has(name.toLowerCase())) pairs.push([name, raw[i + 1] ?? ''])
  }
  return pairs
}

function valuesOf(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const values: Record<string, string[]> = Object.create(null)
  for (const [name, value] of pairs) (values[name] ??= []).push(value)
  return values
}

function lastOf(values: Record<string, string[]>): Record<string, string> {
  const last: Record<string, string> = Object.create(null)
  for (const name in values) last[name] = values[name]?.at(-1) ?? ''
  return last
}

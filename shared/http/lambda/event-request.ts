import type { APIGatewayProxyEvent } from 'aws-lambda'
import { asBytes, asRequest, LightRequest, withoutMark } from '../light-request.ts'
import { type SentRequest, sentAs } from '../sent-request.ts'

/** A web Request that reads from the event of a REST API. */
class EventRequest extends LightRequest {
  readonly #event: APIGatewayProxyEvent
  readonly #upload: SentRequest | undefined

  constructor(event: APIGatewayProxyEvent, signal: AbortSignal, upload?: SentRequest) {
    const { domainName } = event.requestContext
    super(
      event.httpMethod,
      `https://${domainName}${event.path}${searchOf(event)}`,
      headersOf(event),
      signal,
    )
    if (hasBody(event)) setLength(this.headers, event)
    this.#event = event
    this.#upload = upload
  }

  /** Returns the request as it was sent, except for the encoding of its query: a REST API decodes query parameters. */
  [sentAs](): SentRequest {
    const event = this.#event
    return (
      this.#upload ?? {
        target: event.path + queryOf(event),
        body: hasBody(event) ? [bytesOf(event)] : null,
      }
    )
  }

  protected takeText(): string {
    const event = this.#event
    if (!hasBody(event)) return ''
    return withoutMark(event.isBase64Encoded ? bytesOf(event).toString('utf8') : (event.body ?? ''))
  }

  protected takeBody(): Buffer<ArrayBuffer> | null {
    return hasBody(this.#event) ? bytesOf(this.#event) : null
  }
}

/**
 * @param signal aborted once the caller has disconnected
 * @param upload the request as it was sent, if the carrier provides it in addition to the event
 */
export function eventRequest(
  event: APIGatewayProxyEvent,
  signal: AbortSignal,
  upload?: SentRequest,
): Request {
  return asRequest(new EventRequest(event, signal, upload))
}

function hasBody({ body, httpMethod }: APIGatewayProxyEvent): boolean {
  return body !== null && httpMethod !== 'GET' && httpMethod !== 'HEAD'
}

function bytesOf({ body, isBase64Encoded }: APIGatewayProxyEvent): Buffer<ArrayBuffer> {
  return Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8')
}

function headersOf({ multiValueHeaders }: APIGatewayProxyEvent): Headers {
  const headers = new Headers()
  for (const name in multiValueHeaders)
    for (const value of multiValueHeaders[name] ?? []) headers.append(name, asBytes(value))
  return headers
}

/** The whole body is available here, even if it was sent without a length. */
function setLength(headers: Headers, event: APIGatewayProxyEvent): void {
  if (headers.has('content-length') && !headers.has('transfer-encoding')) return
  headers.delete('transfer-encoding')
  headers.set('content-length', String(bytesOf(event).length))
}

function searchOf({ multiValueQueryStringParameters: parameters }: APIGatewayProxyEvent): string {
  if (!parameters) return ''
  const query = new URLSearchParams()
  for (const [name, values] of Object.entries(parameters))
    for (const value of values ?? []) query.append(name, value)
  return query.size === 0 ? '' : `?${query}`
}

/** Returns the query of a forwarded request: with `%20`, because only forms treat `+` as a space. */
function queryOf({ multiValueQueryStringParameters: parameters }: APIGatewayProxyEvent): string {
  const pairs = Object.entries(parameters ?? {}).flatMap(([name, values = []]) =>
    values.map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

import type { APIGatewayProxyEvent } from 'aws-lambda'
import { once } from '../../platform/once.ts'

/**
 * A REST API's event as a web Request. Method, address, headers, signal and text are its own: a Request that Node
 * makes copies the body into a stream and follows the signal by another, which costs the AI gateway a seventh of its
 * requests a second. It is only made when a handler asks for anything else.
 */
class EventRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly signal: AbortSignal
  readonly #event: APIGatewayProxyEvent
  #made: Request | undefined
  #read = false

  constructor(event: APIGatewayProxyEvent, signal: AbortSignal) {
    this.method = event.httpMethod
    this.url = `https://${event.requestContext.domainName}${event.path}${searchOf(event)}`
    this.headers = headersOf(event)
    if (hasBody(event)) setLength(this.headers, event)
    this.signal = signal
    this.#event = event
  }

  get bodyUsed(): boolean {
    return this.#read || this.#made?.bodyUsed === true
  }

  async text(): Promise<string> {
    if (this.#read || this.#made !== undefined) return this.whole().text()
    this.#read = true
    return textOf(this.#event)
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  /** The Request with everything that a Request has. @throws TypeError where the text was read before */
  whole(): Request {
    if (this.#read) throw new TypeError('Body is unusable: Body has already been read')
    return (this.#made ??= new Request(this.url, {
      method: this.method,
      headers: this.headers,
      body: hasBody(this.#event) ? bytesOf(this.#event) : null,
    }))
  }
}

/** The other members of a Request come from the whole one. Node loads much code for it when it is first used. */
const standInForRequest = once(() => {
  const rest = Reflect.ownKeys(Request.prototype).filter(
    (name) => name !== Symbol.toStringTag && !(name in EventRequest.prototype),
  )
  for (const name of rest)
    Object.defineProperty(EventRequest.prototype, name, {
      get(this: EventRequest) {
        const whole = this.whole()
        const member: unknown = Reflect.get(whole, name)
        return typeof member === 'function' ? member.bind(whole) : member
      },
    })
  return Object.setPrototypeOf(EventRequest.prototype, Request.prototype) as EventRequest
})

/** @param signal aborted once the caller has gone */
export function eventRequest(event: APIGatewayProxyEvent, signal: AbortSignal): Request {
  standInForRequest()
  return new EventRequest(event, signal) as unknown as Request
}

function hasBody({ body, httpMethod }: APIGatewayProxyEvent): boolean {
  return body !== null && httpMethod !== 'GET' && httpMethod !== 'HEAD'
}

function bytesOf({ body, isBase64Encoded }: APIGatewayProxyEvent): Buffer<ArrayBuffer> {
  return Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8')
}

/** As Request.text() has it: without the mark that a text may begin with. */
function textOf(event: APIGatewayProxyEvent): string {
  if (!hasBody(event)) return ''
  const text = event.isBase64Encoded ? bytesOf(event).toString('utf8') : (event.body ?? '')
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

function headersOf({ multiValueHeaders }: APIGatewayProxyEvent): Headers {
  const headers = new Headers()
  for (const name in multiValueHeaders)
    for (const value of multiValueHeaders[name] ?? []) headers.append(name, asBytes(value))
  return headers
}

/** The body is here as a whole, also where it was sent without a length. */
function setLength(headers: Headers, event: APIGatewayProxyEvent): void {
  if (headers.has('content-length') && !headers.has('transfer-encoding')) return
  headers.delete('transfer-encoding')
  headers.set('content-length', String(bytesOf(event).length))
}

/** A header's text as Headers takes it: characters beyond a byte are no fault of ours to fail by. */
function asBytes(value: string): string {
  return /^[\0-\xff]*$/.test(value) ? value : encodeURI(value.toWellFormed())
}

function searchOf({ multiValueQueryStringParameters: parameters }: APIGatewayProxyEvent): string {
  if (!parameters) return ''
  const query = new URLSearchParams()
  for (const [name, values] of Object.entries(parameters))
    for (const value of values ?? []) query.append(name, value)
  return query.size === 0 ? '' : `?${query}`
}

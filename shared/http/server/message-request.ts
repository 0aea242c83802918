import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { PlatformError } from '#shared/platform/errors.ts'
import { hopHeaders } from '#shared/platform/http-client/header-names.ts'
import { asBytes, asRequest, LightRequest, withoutMark } from '../light-request.ts'
import { type SentRequest, sentAs } from '../sent-request.ts'

/** A web Request that reads from a message of node:http. The body is read on demand, after the guards. */
class MessageRequest extends LightRequest {
  readonly #message: IncomingMessage

  constructor(message: IncomingMessage, url: string, signal: AbortSignal) {
    super(message.method ?? 'GET', url, headersOf(message.rawHeaders), signal)
    this.#message = message
  }

  [sentAs](): SentRequest {
    const message = this.#message
    return { target: message.url ?? '/', body: hasBody(message) ? message : null }
  }

  protected async takeText(): Promise<string> {
    if (!hasBody(this.#message)) return ''
    return withoutMark((await bytesOf(this.#message)).toString('utf8'))
  }

  protected takeBody(): RequestInit['body'] {
    const message = this.#message
    if (!hasBody(message)) return null
    return Readable.toWeb(message) as unknown as ReadableStream<Uint8Array>
  }
}

/**
 * @param signal aborted once the caller has disconnected
 * @returns undefined for an invalid target
 */
export function messageRequest(message: IncomingMessage, signal: AbortSignal): Request | undefined {
  const url = urlOf(message)
  if (url === undefined) return undefined
  const request = new MessageRequest(message, url, signal)
  if (!request.headers.has('transfer-encoding')) return asRequest(request)
  // The length of the body is known only after its stream was read, and byte counters wrap that stream in another
  // Request.
  const whole = request.whole()
  return Object.defineProperties(whole, {
    signal: { value: signal },
    [sentAs]: { value: () => request[sentAs]() },
  })
}

/**
 * Removes headers about the connection, which the app does not need. `transfer-encoding` stays, because it shows that
 * the length is unknown.
 */
function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers()
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? ''
    if (!hopHeaders.has(name.toLowerCase())) headers.append(name, asBytes(raw[i + 1] ?? ''))
  }
  return headers
}

const plainHost = /^(?:[\w.-]+|\[[\da-f:]+\])(?::\d{1,5})?$/i

/** Returns the requested address, with the path as it was sent. */
function urlOf({ url = '/', headers: { host = '' } }: IncomingMessage): string | undefined {
  const origin = `https://${plainHost.test(host) ? host : 'localhost'}`
  if (url.startsWith('/')) return URL.canParse(origin + url) ? origin + url : undefined
  const whole = URL.parse(url)
  return whole === null ? undefined : origin + whole.pathname + whole.search
}

function hasBody({ headers, method }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  const { 'content-length': length, 'transfer-encoding': framing } = headers
  return framing !== undefined || (length !== undefined && length !== '0')
}

/** Uses events: an async iterator over the chunks would cost more than the rest of the request. */
async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  await new Promise<void>((resolve, reject) => {
    const brokeOff = () => reject(new PlatformError('bad-request', 'The request was interrupted'))
    message.on('data', (chunk: Buffer) => chunks.push(chunk))
    message.once('end', resolve).once('error', brokeOff)
    // The error is created only on a premature close: every request closes at its end, and creating an error with its
    // stack each time would be slow.
    message.once('close', () => {
      if (!message.readableEnded) brokeOff()
    })
    if (message.destroyed) brokeOff()
  })
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
}

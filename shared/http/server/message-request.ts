import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { PlatformError } from '../../platform/errors.ts'
import { hopHeaders } from '../../platform/http-client/header-names.ts'
import { asBytes, asRequest, LightRequest, withoutMark } from '../light-request.ts'
import { type SentRequest, sentAs } from '../sent-request.ts'

/** A message of node:http as a web Request. Its body is read when it is asked for, after the guards. */
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
 * @param signal aborted once the caller has gone
 * @returns nothing for a target that is no address
 */
export function messageRequest(message: IncomingMessage, signal: AbortSignal): Request | undefined {
  const url = urlOf(message)
  if (url === undefined) return undefined
  const request = new MessageRequest(message, url, signal)
  if (!request.headers.has('transfer-encoding')) return asRequest(request)
  // How long it is shows only in its stream, which what counts it puts another Request around.
  const whole = request.whole()
  return Object.defineProperties(whole, {
    signal: { value: signal },
    [sentAs]: { value: () => request[sentAs]() },
  })
}

/** Without those of the connection, which are not the app's; that a body comes in chunks tells that its length is unknown. */
function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers()
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? ''
    if (!hopHeaders.has(name.toLowerCase())) headers.append(name, asBytes(raw[i + 1] ?? ''))
  }
  return headers
}

const plainHost = /^(?:[\w.-]+|\[[\da-f:]+\])(?::\d{1,5})?$/i

/** The address that was asked for; a path is kept as it was sent. */
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

/** By events: an iterator over the chunks would cost more than the rest of the request. */
async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  await new Promise<void>((resolve, reject) => {
    const brokeOff = () => reject(new PlatformError('bad-request', 'The request broke off'))
    message.on('data', (chunk: Buffer) => chunks.push(chunk))
    message.once('end', resolve).once('error', brokeOff)
    // Every request is closed in the end, and to make an error each time, with its stack, would cost time.
    message.once('close', () => {
      if (!message.readableEnded) brokeOff()
    })
    if (message.destroyed) brokeOff()
  })
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
}

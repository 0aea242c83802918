import type {
  ClientRequest,
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
} from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { connectionsTo, type HttpTarget } from './connections.ts'
import { HttpFailure, tooLarge } from './failure.ts'

/** In milliseconds; no limit if absent. */
export interface HttpTimeouts {
  /**
   * The maximum wait for the next byte, including the first. The time that the reader of the response takes is not
   * counted.
   */
  idleMs?: number
  /** From the call to the last byte of the response. */
  totalMs?: number
}

export interface HttpRequest {
  target: HttpTarget
  /** Default: POST with a body, otherwise GET. */
  method?: string | undefined
  headers?: OutgoingHttpHeaders
  /** Sent as JSON. */
  json?: unknown
  /**
   * Text, bytes, or a stream of bytes. A text is sent in one write with the headers. A stream is read no faster than the server receives it, and its request is never
   * retried. Without a `content-length` header, a stream is sent in chunks.
   */
  body?: Buffer | string | AsyncIterable<Uint8Array> | undefined
  timeouts: HttpTimeouts
  /** Limit of the response body; no limit if absent, for a reader with its own limit. */
  maxBytes?: number
  /**
   * True if the request may reuse a connection of an earlier request; otherwise it uses a new one. A request on a
   * reused connection is retried if the server closed the connection before it read any byte.
   */
  pooled?: boolean
  /** Aborted when the caller disconnects, which ends the call. */
  signal?: AbortSignal | undefined
  /** Returns the error to throw instead of a failure. */
  toError?: (failure: HttpFailure) => unknown
}

/**
 * A response. Read `body` or call `whole`, once, or close the response. Both throw HttpFailure if the response is
 * interrupted.
 */
export interface HttpAnswer {
  status: number
  headers: IncomingHttpHeaders
  /** The length of the body, if the whole body arrived together with the headers. */
  arrived: number | undefined
  /** The body as it arrives. */
  body: AsyncIterable<Buffer>
  /** @param onBytes called for each piece of the body */
  whole(onBytes?: () => void): Promise<Buffer>
  /** Ends the call; the rest of the response is discarded. */
  close(): void
}

/**
 * Sends a request and returns when the response headers have arrived. Redirects are returned, not followed.
 * @throws HttpFailure, or the error that `toError` returns
 */
export async function sendRequest(request: HttpRequest): Promise<HttpAnswer> {
  const exchange = begin(request)
  try {
    const message = await send(request, exchange)
    exchange.touch()
    exchange.destroy = (failure) => message.destroy(failure)
    return {
      status: message.statusCode ?? 0,
      headers: message.headers,
      arrived: message.complete ? message.readableLength : undefined,
      body: chunksOf(message, request, exchange),
      whole: (onBytes) => wholeOf(message, request, exchange, onBytes),
      close() {
        exchange.end()
        message.destroy()
      },
    }
  } catch (error) {
    exchange.end()
    throw exchange.errorOf(error, 'unreachable')
  }
}

/** The state of a call that its timeouts or its caller can end early. */
interface Exchange {
  /** The reason why it ended early. */
  failure: HttpFailure | undefined
  /** Destroys the current resources of the call. */
  destroy: (failure: HttpFailure) => void
  /** True while the call waits for the server, false while it waits for the reader of the response. */
  waiting: boolean
  touch(): void
  end(): void
  errorOf(error: unknown, kind: 'unreachable' | 'closed'): unknown
}

function begin({ timeouts: { idleMs, totalMs }, signal, toError }: HttpRequest): Exchange {
  const cut = (failure: HttpFailure) => {
    exchange.failure ??= failure
    exchange.destroy(failure)
  }
  const startTimer = (kind: 'idle' | 'total', ms: number) =>
    setTimeout(() => {
      if (exchange.waiting || kind === 'total')
        cut(new HttpFailure(kind, `timeout: no response within ${ms} ms`))
    }, ms)
  const leave = () =>
    cut(new HttpFailure('aborted', 'the caller disconnected', { cause: signal?.reason }))
  const exchange: Exchange = {
    failure: undefined,
    destroy() {},
    waiting: true,
    // The timers of workerd have no `refresh`.
    touch() {
      if (idle === undefined) return
      clearTimeout(idle)
      idle = startIdle()
    },
    end() {
      clearTimeout(idle)
      idle = undefined
      clearTimeout(total)
      signal?.removeEventListener('abort', leave)
    },
    errorOf(error, kind) {
      const failure = exchange.failure ?? failureOf(error, kind)
      return toError ? toError(failure) : failure
    },
  }
  const startIdle = () => (idleMs === undefined ? undefined : startTimer('idle', idleMs))
  let idle = startIdle()
  const total = totalMs === undefined ? undefined : startTimer('total', totalMs)
  if (signal?.aborted) leave()
  else signal?.addEventListener('abort', leave, { once: true })
  return exchange
}

/** Returns a failure with the error's code, but without its text, which contains host names. */
function failureOf(error: unknown, kind: 'unreachable' | 'closed'): HttpFailure {
  if (error instanceof HttpFailure) return error
  const { code = 'closed' } = error as NodeJS.ErrnoException
  const what = kind === 'closed' ? 'the answer was interrupted' : 'the connection failed'
  return new HttpFailure(kind, `${what}: ${code}`, { code })
}

function send(
  { target, method, headers, json, body: bytes, pooled }: HttpRequest,
  exchange: Exchange,
): Promise<IncomingMessage> {
  const { request, agent } = connectionsTo(target)
  const body = json === undefined ? bytes : JSON.stringify(json)
  const options = {
    ...target,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...headers,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...framing(body, headers),
    },
  }
  return new Promise((resolve, reject) => {
    const attempt = (fresh: boolean) => {
      if (exchange.failure) return reject(exchange.failure)
      const outgoing = request({ ...options, agent: fresh ? false : agent })
      exchange.destroy = (failure) => outgoing.destroy(failure)
      const wasUntouched = untouched(outgoing)
      outgoing.once('response', resolve)
      // Without a listener, Node would end the call without an error.
      outgoing.once('upgrade', (_, socket) => {
        socket.destroy()
        reject(new HttpFailure('upgraded', 'the server tried to switch to another protocol'))
      })
      outgoing.on('error', (error) => {
        if (!fresh && wasUntouched(error)) attempt(true)
        else reject(error)
      })
      if (isStream(body)) pour(body, outgoing, exchange)
      else outgoing.end(body)
    }
    // A stream never uses a reused connection, because a part may be sent before the closed connection is detected.
    attempt(pooled !== true || isStream(body))
  })
}

type Body = Buffer | string | AsyncIterable<Uint8Array> | undefined

function isStream(body: Body): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && !Buffer.isBuffer(body)
}

/** Returns the framing headers, which Node does not set for methods that rarely have a body, such as GET. */
function framing(body: Body, headers: OutgoingHttpHeaders = {}): OutgoingHttpHeaders {
  if (body === undefined) return {}
  if (!isStream(body)) return { 'content-length': Buffer.byteLength(body) }
  return headers['content-length'] === undefined ? { 'transfer-encoding': 'chunked' } : {}
}

/** Sends a stream. If the server responds before it has read the whole body, the rest is not sent. */
function pour(body: AsyncIterable<Uint8Array>, outgoing: ClientRequest, exchange: Exchange): void {
  async function* touching() {
    for await (const chunk of body) {
      exchange.touch()
      yield chunk
    }
  }
  // Errors are ignored here, because the request emits them too.
  pipeline(Readable.from(touching(), { objectMode: false }), outgoing, () => {})
}

/**
 * Returns a function that reports whether a request failed because the server closed an idle connection when it was
 * reused. The server has then read no byte of the request and sent no byte of a response, so the request can be retried
 * on a new connection.
 */
function untouched(outgoing: ClientRequest): (error: NodeJS.ErrnoException) => boolean {
  let readBefore = 0
  outgoing.once('socket', (socket) => {
    readBefore = socket.bytesRead
  })
  return ({ code }) =>
    outgoing.reusedSocket &&
    (code === 'ECONNRESET' || code === 'EPIPE') &&
    outgoing.socket?.bytesRead === readBefore
}

async function* chunksOf(
  message: IncomingMessage,
  { maxBytes = Infinity }: HttpRequest,
  exchange: Exchange,
): AsyncGenerator<Buffer> {
  let size = 0
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      exchange.waiting = false
      yield chunk
      exchange.waiting = true
      exchange.touch()
    }
  } catch (error) {
    throw exchange.errorOf(error, 'closed')
  } finally {
    exchange.end()
  }
}

/** Uses events: an async iterator over the chunks would cost more than the rest of the call. */
async function wholeOf(
  message: IncomingMessage,
  { maxBytes = Infinity }: HttpRequest,
  exchange: Exchange,
  onBytes?: () => void,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    await new Promise<void>((resolve, reject) => {
      if (message.destroyed) reject(new Error('closed'))
      message.on('data', (chunk: Buffer) => {
        exchange.touch()
        onBytes?.()
        size += chunk.length
        if (size > maxBytes) message.destroy(tooLarge(maxBytes))
        else chunks.push(chunk)
      })
      message.once('end', resolve).once('error', reject)
      message.once('close', () => {
        if (!message.complete) reject(new Error('closed'))
      })
    })
  } catch (error) {
    throw exchange.errorOf(error, 'closed')
  } finally {
    exchange.end()
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
}

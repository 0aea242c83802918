import type {
  ClientRequest,
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
} from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { connectionsTo, type HttpTarget } from './connections.ts'
import { HttpFailure, tooLarge } from './failure.ts'

/** Milliseconds; no bound where absent. */
export interface HttpTimeouts {
  /** The longest wait for the next byte, the first included. The time that the answer's reader takes does not count. */
  idleMs?: number
  /** From the call to the answer's last byte. */
  totalMs?: number
}

export interface HttpRequest {
  target: HttpTarget
  /** POST with a body, GET without one, unless given. */
  method?: string | undefined
  headers?: OutgoingHttpHeaders
  /** Sent as JSON. */
  json?: unknown
  /**
   * Bytes, or a stream of them: no more of it is taken than the server takes, and a request with one is never sent again.
   * Without a `content-length` among the headers a stream goes out in chunks.
   */
  body?: Buffer | AsyncIterable<Uint8Array> | undefined
  timeouts: HttpTimeouts
  /** Of the answer's body; no bound where absent, for a reader that has its own. */
  maxBytes?: number
  /**
   * Whether a connection may be shared with other requests, one after the other; otherwise the request has its own. A
   * request on a shared one is sent again if the server closed it before it read anything.
   */
  pooled?: boolean
  /** Aborted when the caller leaves: the call ends with it. */
  signal?: AbortSignal | undefined
  /** What is thrown for a failure instead of the failure itself. */
  toError?: (failure: HttpFailure) => unknown
}

/** The body is read once, in one of the two ways, or the answer is closed. Both throw HttpFailure where it breaks off. */
export interface HttpAnswer {
  status: number
  headers: IncomingHttpHeaders
  /** The body's bytes, where all of it has come together with the headers. */
  arrived: number | undefined
  /** The body as it arrives. */
  body: AsyncIterable<Buffer>
  whole(): Promise<Buffer>
  /** Ends the call, with what is still to come of it. */
  close(): void
}

/**
 * Sends a request and returns once the answer's headers are there. A redirect is an answer like any other.
 * @throws HttpFailure, or what `toError` makes of it
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
      whole: () => wholeOf(message, request, exchange),
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

/** What ends a call early: its timeouts, and its caller's leaving. */
interface Exchange {
  /** Why it was ended early. */
  failure: HttpFailure | undefined
  /** Destroys what the call holds at the moment. */
  destroy: (failure: HttpFailure) => void
  /** Whether the server is being waited for, rather than the reader of its answer. */
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
        cut(new HttpFailure(kind, `timeout: no answer within ${ms} ms`))
    }, ms)
  const leave = () => cut(new HttpFailure('aborted', 'the caller left', { cause: signal?.reason }))
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

/** Says the error's code and not its text, which names hosts. */
function failureOf(error: unknown, kind: 'unreachable' | 'closed'): HttpFailure {
  if (error instanceof HttpFailure) return error
  const { code = 'closed' } = error as NodeJS.ErrnoException
  const what = kind === 'closed' ? 'the answer broke off' : 'the connection failed'
  return new HttpFailure(kind, `${what}: ${code}`, { code })
}

function send(
  { target, method, headers, json, body: bytes, pooled }: HttpRequest,
  exchange: Exchange,
): Promise<IncomingMessage> {
  const { request, agent } = connectionsTo(target)
  // As text it leaves in one write with the headers.
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
      // Unheard, it would end the call without a word.
      outgoing.once('upgrade', (_, socket) => {
        socket.destroy()
        reject(new HttpFailure('upgraded', 'the server would speak another protocol'))
      })
      outgoing.on('error', (error) => {
        if (!fresh && wasUntouched(error)) attempt(true)
        else reject(error)
      })
      if (isStream(body)) pour(body, outgoing, exchange)
      else outgoing.end(body)
    }
    // Half of a stream may be gone before it shows that a kept connection was closed.
    attempt(pooled !== true || isStream(body))
  })
}

type Body = Buffer | string | AsyncIterable<Uint8Array> | undefined

function isStream(body: Body): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && !Buffer.isBuffer(body)
}

/** Node frames no body of a method that rarely has one, such as GET. */
function framing(body: Body, headers: OutgoingHttpHeaders = {}): OutgoingHttpHeaders {
  if (body === undefined) return {}
  if (!isStream(body)) return { 'content-length': Buffer.byteLength(body) }
  return headers['content-length'] === undefined ? { 'transfer-encoding': 'chunked' } : {}
}

/** A server that has answered before it took all of the body ends the rest of it. */
function pour(body: AsyncIterable<Uint8Array>, outgoing: ClientRequest, exchange: Exchange): void {
  async function* touching() {
    for await (const chunk of body) {
      exchange.touch()
      yield chunk
    }
  }
  // What fails here is heard as the request's own error.
  pipeline(Readable.from(touching(), { objectMode: false }), outgoing, () => {})
}

/**
 * Whether a request failed because the server had closed an idle connection just as it was used again: then the server
 * has read nothing of it, and not a byte of an answer has come, so it may be sent once more over a connection of its own.
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

/** By events: an iterator over the chunks would cost more than the rest of the call. */
async function wholeOf(
  message: IncomingMessage,
  { maxBytes = Infinity }: HttpRequest,
  exchange: Exchange,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    await new Promise<void>((resolve, reject) => {
      if (message.destroyed) reject(new Error('closed'))
      message.on('data', (chunk: Buffer) => {
        exchange.touch()
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

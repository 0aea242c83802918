import type { ClientRequest, IncomingMessage } from 'node:http'
import { parseUpTo } from '../../platform/json.ts'
import { UpstreamFailure } from './failure.ts'
import { destinationOf } from './pool.ts'
import type { Provider } from './provider.ts'

export interface Call {
  path: string
  /** Sent as a POST; without it the call is a GET. */
  json?: unknown
  timeoutMs: number
  /** Whether the timeout bounds the wait for each byte, as for a stream, or the whole answer. */
  bounds: 'each byte' | 'the whole'
  maxBytes: number
  /** The caller's: once it has gone, so goes the call. */
  signal: AbortSignal
}

/** The body is read once, in one of the two ways, or the call is closed. */
export interface Answer {
  status: number
  type: string
  /** Retry-After, in seconds from now; undefined where the provider sends none. */
  retryAfter: number | undefined
  /** The body as it arrives. @throws UpstreamFailure where it breaks off */
  body: AsyncIterable<Buffer>
  /** The body as a whole. @throws UpstreamFailure where it breaks off */
  whole(): Promise<Buffer>
  /** Ends the call, also while its answer is still to come. */
  close(): void
}

/**
 * Calls a provider and answers once its headers are there.
 * @throws UpstreamFailure for a call that gets no answer, and the signal's reason where the caller has gone
 */
export async function call(provider: Provider, given: Call): Promise<Answer> {
  given.signal.throwIfAborted()
  const exchange = begin(given)
  try {
    const message = await send(provider, given, exchange)
    exchange.touch()
    exchange.destroy = (reason) => message.destroy(reason)
    return {
      status: message.statusCode ?? 0,
      type: message.headers['content-type'] ?? '',
      retryAfter: secondsUntil(message.headers['retry-after']),
      body: chunksOf(message, given, exchange),
      whole: () => wholeOf(message, given, exchange),
      close: () => {
        exchange.end()
        message.destroy()
      },
    }
  } catch (error) {
    exchange.end()
    throw failureOf(error, given.signal, 'the provider cannot be reached')
  }
}

/** What ends a call early: its clock, and its caller's going. */
interface Exchange {
  /** Destroys what the call holds at the moment. */
  destroy: (reason: Error) => void
  /** Whether the provider is being waited for, rather than the reader of its answer. */
  waiting: boolean
  touch(): void
  end(): void
}

function begin({ timeoutMs, bounds, signal }: Call): Exchange {
  const timer = setTimeout(() => {
    if (exchange.waiting || bounds === 'the whole')
      exchange.destroy(new UpstreamFailure(`no answer within ${timeoutMs} ms`))
  }, timeoutMs)
  const leave = () => exchange.destroy(new Error('the caller has gone'))
  signal.addEventListener('abort', leave, { once: true })
  const exchange: Exchange = {
    destroy: () => {},
    waiting: true,
    touch: () => {
      if (bounds === 'each byte') timer.refresh()
    },
    end: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
    },
  }
  return exchange
}

function send(
  { baseUrl, apiKey }: Provider,
  { path, json: question }: Call,
  exchange: Exchange,
): Promise<IncomingMessage> {
  const { request, ...destination } = destinationOf(baseUrl + path)
  // As text it leaves in one write with the headers.
  const body = question === undefined ? undefined : JSON.stringify(question)
  const headers = {
    accept: 'application/json, text/event-stream',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }),
  }
  const method = body === undefined ? 'GET' : 'POST'
  return new Promise((resolve, reject) => {
    const attempt = (fresh: boolean) => {
      const outgoing = request({ ...destination, ...(fresh && { agent: false }), method, headers })
      exchange.destroy = (reason) => outgoing.destroy(reason)
      const wasUntouched = untouched(outgoing)
      outgoing.once('response', resolve)
      // Unheard, it would end the call without a word.
      outgoing.once('upgrade', (_, socket) => {
        socket.destroy()
        reject(new UpstreamFailure('the provider would speak another protocol'))
      })
      outgoing.on('error', (error) => {
        if (!fresh && wasUntouched(error)) attempt(true)
        else reject(error)
      })
      outgoing.end(body)
    }
    attempt(false)
  })
}

/**
 * Whether a request failed because the provider had closed an idle connection just as it was used again: then the
 * provider has not read it, and not a byte of an answer has come, so it may be sent once more over a new connection.
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

function closed(): Error {
  return new Error('the connection was closed')
}

function tooLarge(maxBytes: number): UpstreamFailure {
  return new UpstreamFailure(`the answer is larger than ${maxBytes} bytes`)
}

async function* chunksOf(
  message: IncomingMessage,
  { maxBytes, signal }: Call,
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
    throw failureOf(error, signal, 'the answer broke off')
  } finally {
    exchange.end()
  }
}

/** By events: an iterator over the chunks would cost more than the rest of the call. */
async function wholeOf(
  message: IncomingMessage,
  { maxBytes, signal }: Call,
  exchange: Exchange,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    await new Promise<void>((resolve, reject) => {
      if (message.destroyed) reject(closed())
      message.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > maxBytes) message.destroy(tooLarge(maxBytes))
        else chunks.push(chunk)
      })
      message.once('end', resolve).once('error', reject)
      message.once('close', () => {
        if (!message.complete) reject(closed())
      })
    })
  } catch (error) {
    throw failureOf(error, signal, 'the answer broke off')
  } finally {
    exchange.end()
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
}

/** The signal's reason where the caller has gone, else a failure of the provider's. */
function failureOf(error: unknown, signal: AbortSignal, text: string): unknown {
  if (signal.aborted) return signal.reason
  return error instanceof UpstreamFailure
    ? error
    : new UpstreamFailure(text, null, { cause: error })
}

/** Retry-After is a number of seconds or a date (RFC 9110, 10.2.3); anything else says nothing. */
function secondsUntil(retryAfter = ''): number | undefined {
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter)
  if (!/^[A-Z][a-z]{2}, .* GMT$/.test(retryAfter)) return undefined
  const seconds = Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** An answer's body as text. */
export async function text(answer: Answer): Promise<string> {
  return (await answer.whole()).toString()
}

/** More than the longest answers have, with the odds of every token; each takes memory that calls beside it need. */
const mostValues = 4_000_000

/** An answer's body as JSON. @throws UpstreamFailure where it is none, or has too much in it */
export async function json(answer: Answer): Promise<unknown> {
  const body = await text(answer)
  try {
    return parseUpTo(body, mostValues)
  } catch (error) {
    throw new UpstreamFailure('the answer is not JSON', null, { cause: error })
  }
}

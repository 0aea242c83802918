import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { UpstreamFailure } from './failure.ts'
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

export interface Answer {
  status: number
  type: string
  /** The body as it arrives. @throws UpstreamFailure where it breaks off */
  body: AsyncIterable<Buffer>
  /** Ends the call, whatever of it is still to come. */
  close(): void
}

// Connections stay open between calls; a handshake would cost more than all else that is done here.
const agents = {
  'http:': new http.Agent({ keepAlive: true }),
  'https:': new https.Agent({ keepAlive: true }),
}

/**
 * Calls a provider and answers once its headers are there.
 * @throws UpstreamFailure for a call that gets no answer, and the signal's reason where the caller has gone
 */
export async function call(provider: Provider, given: Call): Promise<Answer> {
  const exchange = begin(given)
  try {
    const message = await send(provider, given, exchange)
    exchange.touch()
    return {
      status: message.statusCode ?? 0,
      type: message.headers['content-type'] ?? '',
      body: read(message, given, exchange),
      close: () => {
        exchange.end()
        message.destroy()
      },
    }
  } catch (error) {
    exchange.end()
    given.signal.throwIfAborted()
    if (error instanceof UpstreamFailure) throw error
    throw new UpstreamFailure('the provider cannot be reached', null, { cause: error })
  }
}

/** What ends a call early: its clock, and its caller's going. */
interface Exchange {
  /** Destroys whatever the call holds at the moment. */
  destroy: (reason: Error) => void
  /** Whether the provider is being waited for, rather than whoever reads its answer. */
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

async function send(provider: Provider, given: Call, exchange: Exchange): Promise<IncomingMessage> {
  given.signal.throwIfAborted()
  const url = new URL(provider.baseUrl + given.path)
  const body = given.json === undefined ? undefined : Buffer.from(JSON.stringify(given.json))
  const { request } = url.protocol === 'https:' ? https : http
  const options = {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      ...(provider.apiKey !== undefined && { authorization: `Bearer ${provider.apiKey}` }),
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': body.length,
      }),
    },
  }
  const once = (agent: http.Agent | false) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(url, { ...options, agent })
      exchange.destroy = (reason) => outgoing.destroy(reason)
      outgoing.once('response', resolve)
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        const stale = outgoing.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(error.code ?? '')
        // The other side closed an idle connection just as it was used: nobody has read the request.
        if (stale && agent !== false) resolve(once(false))
        else reject(error)
      })
      outgoing.end(body)
    })
  return once(agents[url.protocol === 'https:' ? 'https:' : 'http:'])
}

async function* read(
  message: IncomingMessage,
  { maxBytes, signal }: Call,
  exchange: Exchange,
): AsyncGenerator<Buffer> {
  exchange.destroy = (reason) => message.destroy(reason)
  let size = 0
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw new UpstreamFailure(`the answer is larger than ${maxBytes} bytes`)
      exchange.waiting = false
      yield chunk
      exchange.waiting = true
      exchange.touch()
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof UpstreamFailure) throw error
    throw new UpstreamFailure('the answer broke off', null, { cause: error })
  } finally {
    exchange.end()
  }
}

/** An answer's body as a whole. */
export async function text({ body }: Answer): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** An answer's body as JSON. @throws UpstreamFailure where it is none */
export async function json(answer: Answer): Promise<unknown> {
  const body = await text(answer)
  try {
    return JSON.parse(body)
  } catch (error) {
    throw new UpstreamFailure('the answer is not JSON', null, { cause: error })
  }
}

import type { IncomingMessage } from 'node:http'
import { Problem } from '../http/problem.ts'
import type { TraceHeaders } from '../http/trace.ts'
import type { Settings } from '../settings.ts'

/** A response of the AI gateway whose body has not been read. */
export interface UpstreamAnswer {
  status: number
  headers: IncomingMessage['headers']
  /** The body as it arrives. Throws a Problem (502 or 504) if it breaks. */
  body: AsyncIterable<Buffer>
}

interface Call {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
  query?: Record<string, string> | undefined
  headers?: Record<string, string>
  requestId: string
  /** The caller's W3C Trace Context, so that the call belongs to its trace. */
  trace?: TraceHeaders
  signal: AbortSignal
}

/** The maximum size of a response that must fit in memory. */
const heldLimit = 16 * 1_048_576

/**
 * Calls the platform's AI gateway with the agent's own key. `ai.timeoutMs` limits the wait for the first byte and every
 * pause after it, not the whole response. Each call has its own connection: an idle one that the other side has just closed
 * would fail in a way that looks like a lost request.
 * @throws Problem 502 if the gateway cannot be reached, 504 if it is silent; the signal's reason if the caller disconnected
 */
export async function callUpstream(ai: Settings['ai'], call: Call): Promise<UpstreamAnswer> {
  const timeout = new AbortController()
  const timer = setTimeout(() => {
    const seconds = ai.timeoutMs / 1000
    timeout.abort(
      new Problem(504, 'upstream_timeout', `The AI gateway was silent for ${seconds} s`),
    )
  }, ai.timeoutMs)
  const signal = AbortSignal.any([call.signal, timeout.signal])

  try {
    const message = await send(ai, call, signal)
    timer.refresh()
    const body = readBody(message, timer, signal)
    return { status: message.statusCode ?? 502, headers: message.headers, body }
  } catch (cause) {
    clearTimeout(timer)
    signal.throwIfAborted()
    throw new Problem(502, 'upstream_unreachable', 'The AI gateway cannot be reached', { cause })
  }
}

/** Returns true for a 2xx response. */
export function isSuccess({ status }: UpstreamAnswer): boolean {
  return status >= 200 && status <= 299
}

/** Returns true for a response with server-sent events. */
export function isStream({ headers }: UpstreamAnswer): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true
}

/** Reads a whole response. */
export async function readWhole({ body }: UpstreamAnswer): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > heldLimit) {
      throw new Problem(502, 'upstream_too_large', 'The AI gateway’s response is too large')
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function send(ai: Settings['ai'], call: Call, signal: AbortSignal): Promise<IncomingMessage> {
  const secure = ai.baseUrl.protocol === 'https:'
  const { request } = secure ? await import('node:https') : await import('node:http')
  const url = new URL(ai.baseUrl)
  url.pathname = url.pathname.replace(/\/+$/, '') + call.path
  url.search = String(new URLSearchParams(call.query))
  const text = call.body === undefined ? undefined : JSON.stringify(call.body)

  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: call.method,
      agent: false,
      signal,
      headers: {
        ...call.headers,
        authorization: `Bearer ${ai.apiKey}`,
        'x-request-id': call.requestId,
        ...call.trace,
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
    })
    outgoing.once('response', resolve)
    outgoing.on('error', reject)
    outgoing.end(text)
  })
}

async function* readBody(
  message: IncomingMessage,
  timer: NodeJS.Timeout,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      timer.refresh()
      yield chunk
    }
  } catch (cause) {
    signal.throwIfAborted()
    throw new Problem(502, 'upstream_cut', 'The AI gateway’s answer was interrupted', { cause })
  } finally {
    clearTimeout(timer)
    message.destroy()
  }
}

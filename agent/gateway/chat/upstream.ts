import type { IncomingMessage } from 'node:http'
import { Problem } from '../http/problem.ts'
import type { Settings } from '../settings.ts'
import type { TraceHeaders } from '../http/trace.ts'

/** An answer of the AI gateway whose body is still to be read. */
export interface UpstreamAnswer {
  status: number
  headers: IncomingMessage['headers']
  /** The body as it arrives. Throws a Problem (502 or 504) when it breaks off. */
  body: AsyncIterable<Buffer>
}

interface Call {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
  query?: Record<string, string> | undefined
  headers?: Record<string, string>
  requestId: string
  /** The caller's W3C Trace Context: the call belongs to what it was asked for. */
  trace?: TraceHeaders
  signal: AbortSignal
}

/** Answers longer than this are refused where they must be held whole. */
const heldLimit = 16 * 1_048_576

/**
 * Calls the platform's AI gateway with the agent's own key.
 * `ai.timeoutMs` bounds the wait for the first byte and every gap after it, not the whole answer.
 * Every call has its own connection: an idle one that the other side has just closed would turn
 * into a failure that cannot be told from a lost request.
 * @throws Problem 502 when it cannot be reached, 504 when it is silent; the signal's reason when
 *   the caller left
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

/** Whether an answer comes as server-sent events. */
export function isStream({ headers }: UpstreamAnswer): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true
}

/** Reads an answer whole. */
export async function readWhole({ body }: UpstreamAnswer): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > heldLimit) {
      throw new Problem(502, 'upstream_too_large', 'The AI gateway’s answer is too large')
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
    throw new Problem(502, 'upstream_cut', 'The AI gateway’s answer broke off', { cause })
  } finally {
    clearTimeout(timer)
    message.destroy()
  }
}

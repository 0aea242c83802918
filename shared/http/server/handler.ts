import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { respondWithError, sendAnswer } from './answer.ts'
import { messageRequest } from './message-request.ts'

interface App {
  fetch(request: Request, env: unknown): Response | Promise<Response>
}

export interface HandlerOptions {
  app: App
  /** The maximum duration of a request, from its headers to the end of its follow-up. */
  timeoutSeconds: number
  /** The maximum number of concurrent requests; further requests are refused until one has ended. */
  maxUnderWay: number
  /** Called with an error after which the response was aborted. */
  onFault(error: unknown): void
}

/** The request handler of a node:http server, for any number of concurrent requests. */
export interface Handler {
  handle(message: IncomingMessage, out: ServerResponse): void
  /** The number of requests whose responses or follow-ups are not finished. */
  readonly underWay: number
  /**
   * Returns once all running requests are finished. After `graceMs` the remaining requests are aborted, as if their
   * callers had disconnected.
   * @returns the number of aborted requests, and of requests that were still unfinished `settleMs` later
   */
  finish(graceMs: number): Promise<{ cut: number; lost: number }>
}

/** The time for aborted requests to settle their usage: a stream is read for ten more seconds to count its tokens. */
const settleMs = 15_000

/** Wraps an app as a handler of plain HTTP. */
export function requestHandler(options: HandlerOptions): Handler {
  const { app, timeoutSeconds, maxUnderWay, onFault } = options
  const underWay = new Map<Promise<void>, AbortController>()

  async function answer(message: IncomingMessage, out: ServerResponse, gone: AbortController) {
    const request = messageRequest(message, gone.signal)
    if (request === undefined) return respondWithError(out, 400, 'Bad request')
    const deadline = Date.now() + timeoutSeconds * 1000
    const timer = setTimeout(() => {
      respondWithError(out, 504, 'The request took too long')
      gone.abort()
    }, timeoutSeconds * 1000)
    try {
      const answered = await app.fetch(request, {
        requestContext: { http: { sourceIp: addressOf(message) } },
        lambdaContext: { getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()) },
      })
      if (!out.headersSent) await sendAnswer(answered, out, gone.signal)
      // It is too late to send the response, but its follow-up, such as a usage record, must still run.
      else await answered.body?.cancel()
    } finally {
      clearTimeout(timer)
    }
  }

  /** Waits until the running requests are finished, at most for the given time. */
  async function settled(withinMs: number): Promise<void> {
    const over = new AbortController()
    await Promise.race([
      Promise.all(underWay.keys()),
      wait(withinMs, undefined, { signal: over.signal }).catch(() => {}),
    ])
    over.abort()
  }

  async function untilNone(withinMs: number): Promise<void> {
    const deadline = Date.now() + withinMs
    while (underWay.size > 0 && Date.now() < deadline) await settled(deadline - Date.now())
  }

  return {
    handle(message, out) {
      if (underWay.size >= maxUnderWay) {
        out.setHeader('retry-after', '1')
        return respondWithError(out, 503, 'Too many concurrent requests; try again')
      }
      const gone = new AbortController()
      out.once('close', () => {
        if (!out.writableFinished) gone.abort()
      })
      const done = answer(message, out, gone)
        .catch((error: unknown) => {
          onFault(error)
          respondWithError(out, 502, 'Bad gateway')
        })
        .finally(() => {
          underWay.delete(done)
          dropRest(message)
        })
      underWay.set(done, gone)
    },
    get underWay() {
      return underWay.size
    },
    async finish(graceMs) {
      await untilNone(graceMs)
      const cut = underWay.size
      for (const gone of underWay.values()) gone.abort()
      await untilNone(settleMs)
      return { cut, lost: underWay.size }
    },
  }
}

/** Reads and discards the rest of a body, so that a client that is still sending receives the response. */
function dropRest(message: IncomingMessage): void {
  if (message.complete || message.destroyed) return
  message.removeAllListeners('data')
  message.resume()
}

/** Returns the address of the connection; `clientAddress` decides whether a header replaces it. */
function addressOf({ socket: { remoteAddress = '' } }: IncomingMessage): string {
  return remoteAddress.replace(/^::ffff:/, '')
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { refuse, sendAnswer } from './answer.ts'
import { messageRequest } from './message-request.ts'

interface App {
  fetch(request: Request, env: unknown): Response | Promise<Response>
}

export interface HandlerOptions {
  app: App
  /** The longest that a request may take, from its head to the end of what follows from its answer. */
  timeoutSeconds: number
  /** Requests under way, beyond which more are refused until some have ended. */
  mostUnderWay: number
  /** Something that the app did not answer for: its answer broke off. */
  onFault(error: unknown): void
}

/** What a server of node:http calls for each request, any number of them side by side. */
export interface Handler {
  handle(message: IncomingMessage, out: ServerResponse): void
  /** Requests whose answers, or what follows from them, are not done. */
  readonly underWay: number
  /**
   * Returns once what is under way is done. What is not after `graceMs` is told that its caller has gone, so that it is
   * settled like that.
   * @returns how many requests were cut off, and how many were not done even `settleMs` after that
   */
  finish(graceMs: number): Promise<{ cut: number; lost: number }>
}

/** How long what was cut off may take to settle its use: a stream is read on for ten seconds, for its count. */
const settleMs = 15_000

/** An app as a handler of plain HTTP. */
export function requestHandler(options: HandlerOptions): Handler {
  const { app, timeoutSeconds, mostUnderWay, onFault } = options
  const underWay = new Map<Promise<void>, AbortController>()

  async function answer(message: IncomingMessage, out: ServerResponse, gone: AbortController) {
    const request = messageRequest(message, gone.signal)
    if (request === undefined) return refuse(out, 400, 'Bad request')
    const deadline = Date.now() + timeoutSeconds * 1000
    const timer = setTimeout(() => {
      refuse(out, 504, 'The request took too long')
      gone.abort()
    }, timeoutSeconds * 1000)
    try {
      const answered = await app.fetch(request, {
        requestContext: { http: { sourceIp: addressOf(message) } },
        lambdaContext: { getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()) },
      })
      if (!out.headersSent) await sendAnswer(answered, out, gone.signal)
      // It came too late to be sent; what follows from it, as the record of a call, is due all the same.
      else await answered.body?.cancel()
    } finally {
      clearTimeout(timer)
    }
  }

  /** Once what is under way at the moment is done, but after so long at the latest. */
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
      if (underWay.size >= mostUnderWay) {
        out.setHeader('retry-after', '1')
        return refuse(out, 503, 'Too many requests are under way; ask again')
      }
      const gone = new AbortController()
      out.once('close', () => {
        if (!out.writableFinished) gone.abort()
      })
      const done = answer(message, out, gone)
        .catch((error: unknown) => {
          onFault(error)
          refuse(out, 502, 'Bad gateway')
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

/** What nobody read of a body is read and dropped, so that who still sends it gets to see the answer. */
function dropRest(message: IncomingMessage): void {
  if (message.complete || message.destroyed) return
  message.removeAllListeners('data')
  message.resume()
}

/** The connection's own; whose word counts for another one, `clientAddress` decides. */
function addressOf({ socket: { remoteAddress = '' } }: IncomingMessage): string {
  return remoteAddress.replace(/^::ffff:/, '')
}

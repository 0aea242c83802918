import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Handler } from './handler.ts'

export interface RunningServer {
  port: number
  /**
   * Accepts no new requests, and returns when all running requests are finished or, after `graceMs`, aborted: see
   * `Handler.finish`.
   */
  drain(graceMs: number): ReturnType<Handler['finish']>
}

/** The load balancer's health check of this server: 200, or 503 while it drains. */
const healthPath = '/healthz'

/**
 * A load balancer keeps an idle connection for 60 s, so this is longer. Otherwise it could send a request on a
 * connection that is just closing.
 */
const keepAliveMs = 75_000

/** Time limits for a request's head and for the whole request. */
const headMs = 15_000
const requestMs = 60_000

/** Serves a handler over plain HTTP until it drains. @param place port 0 selects a free port */
export async function startServer(
  handler: Handler,
  place: { host: string; port: number },
): Promise<RunningServer> {
  let draining = false
  const server = createServer(
    { keepAliveTimeout: keepAliveMs, headersTimeout: headMs, requestTimeout: requestMs },
    (message, out) => {
      if (draining) out.shouldKeepAlive = false
      if (message.url === healthPath) answerHealth(out, draining)
      else handler.handle(message, out)
    },
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(place.port, place.host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    async drain(graceMs) {
      draining = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // Repeated, because a busy connection that becomes idle later would be kept alive.
      const idle = setInterval(() => server.closeIdleConnections(), 50)
      const outcome = await handler.finish(graceMs)
      server.closeAllConnections()
      await closed
      clearInterval(idle)
      return outcome
    },
  }
}

function answerHealth(out: ServerResponse, draining: boolean): void {
  const text = JSON.stringify({ status: draining ? 'draining' : 'ok' })
  out.writeHead(draining ? 503 : 200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  })
  out.end(text)
}

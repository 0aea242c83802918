import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Handler } from './handler.ts'

export interface RunningServer {
  port: number
  /** Takes nothing new and returns once what is under way is done, or was cut off after `graceMs`, as `Handler.finish` says. */
  drain(graceMs: number): ReturnType<Handler['finish']>
}

/** Where a load balancer asks whether this server takes requests: 200, or 503 while it drains. */
const healthPath = '/healthz'

/** Longer than a load balancer keeps a connection that nobody uses (60 s): else it would send into one that just closes. */
const keepAliveMs = 75_000

/** So long may a request's head take to come, and all of the request. */
const headMs = 15_000
const requestMs = 60_000

/** Serves a handler over plain HTTP until it is drained. @param place port 0 picks a free one */
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
      // A connection that was busy becomes idle later, and would then be kept alive.
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

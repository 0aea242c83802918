import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/** Set by the platform's router for a request of a caller: it names the credential, but does not contain it. */
export const leaseHeader = 'platform-lease'

/** The renewal interval of an open connection's lease, in milliseconds. */
const defaultRenewEveryMs = 20_000

const tryMs = 10_000

/** Not 404: a platform of an earlier release does not have the endpoint. */
const ended = new Set([401, 403])

export interface LeaseOptions {
  /** The platform's endpoint that checks leases. */
  url: URL
  renewEveryMs?: number
}

/**
 * Ends each WebSocket and each response whose caller's session or key has ended: the router asks the platform only when
 * a connection opens. If the platform cannot be reached, the connection stays open until the next check.
 */
export function endWithLeases(server: Server, options: LeaseOptions): void {
  const { url, renewEveryMs = defaultRenewEveryMs } = options
  const hold = ({ headers, socket }: IncomingMessage, until: Duplex | NodeJS.EventEmitter) => {
    const lease = headers[leaseHeader]
    if (typeof lease !== 'string' || lease === '') return
    let isOpen = true
    const timer = setInterval(async () => {
      // After the response, the socket may carry another caller's request.
      if ((await isRefused(url, lease)) && isOpen) socket.destroy()
    }, renewEveryMs)
    timer.unref()
    until.once('close', () => {
      isOpen = false
      clearInterval(timer)
    })
  }
  server.on('request', (request, response) => hold(request, response))
  server.on('upgrade', (request, socket) => hold(request, socket))
}

async function isRefused(url: URL, lease: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(tryMs)
    const answer = await fetch(url, {
      headers: { [leaseHeader]: lease },
      redirect: 'error',
      signal,
    })
    await answer.body?.cancel()
    return ended.has(answer.status)
  } catch {
    return false
  }
}

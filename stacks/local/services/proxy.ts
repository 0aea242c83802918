import { createHmac, timingSafeEqual } from 'node:crypto'
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { hopHeaders } from '../headers.ts'

/**
 * Proxies requests to another server on this machine. Adds the client's address to each request, because the other
 * server sees only the proxy's connection.
 * @param originSecret ORIGIN_SECRET, which signs the address
 */
export function proxyTo(
  port: number,
  originSecret: string,
): (message: IncomingMessage, out: ServerResponse) => void {
  // The other server keeps an idle connection for a minute.
  const agent = new Agent({ keepAlive: true, timeout: 30_000, maxFreeSockets: 64 })
  return (message, out) => {
    const viewer = viewerOf(message, originSecret)
    // The client has left: nothing would close the new connection.
    if (out.destroyed) return
    const onward = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        method: message.method,
        path: message.url,
        headers: [
          ...forwardedHeaders(message.rawHeaders, viewer),
          ...Object.entries(viewer).flat(),
        ],
      },
      (answer) => {
        out.writeHead(answer.statusCode ?? 502, forwardedHeaders(answer.rawHeaders))
        // A chunk that is already here is sent with the head. A head without one must not wait.
        if (answer.readableLength === 0 && !answer.complete) out.flushHeaders()
        answer.pipe(out)
        answer.once('error', () => out.destroy())
      },
    )
    onward.once('error', () => out.destroy())
    out.once('close', () => {
      if (!out.writableFinished) onward.destroy()
    })
    message.pipe(onward)
  }
}

/**
 * Returns the client's address in the form of shared/http/client-address.ts: the signed address that an earlier proxy
 * added, or the address of the connection.
 */
function viewerOf({ headers, socket }: IncomingMessage, originSecret: string) {
  const proofOf = (address: string) =>
    createHmac('sha256', originSecret).update(`viewer ${address}`).digest()
  const named = String(headers['x-viewer-address'])
  const shown = Buffer.from(String(headers['x-viewer-proof']), 'base64url')
  const proof = proofOf(named)
  const isProven = shown.length === proof.length && timingSafeEqual(shown, proof)
  const address = isProven ? named : (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  return {
    'x-viewer-address': address,
    'x-viewer-proof': proofOf(address).toString('base64url'),
  }
}

/** @param replaced headers with new values */
function forwardedHeaders(
  raw: readonly string[],
  replaced: Readonly<Record<string, string>> = {},
): string[] {
  const headers: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? ''
    const isKept = !hopHeaders.has(name.toLowerCase()) && !(name.toLowerCase() in replaced)
    if (isKept) headers.push(name, raw[i + 1] ?? '')
  }
  return headers
}

import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { hopHeaders } from '../headers.ts'

/** Passes requests on to another server of this machine, both ways as they come. */
export function passOnTo(port: number): (message: IncomingMessage, out: ServerResponse) => void {
  // The other server keeps an idle connection for a minute.
  const agent = new Agent({ keepAlive: true, timeout: 30_000, maxFreeSockets: 64 })
  return (message, out) => {
    // Its end was said already: nothing would end the connection that is opened for it.
    if (out.destroyed) return
    const onward = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        method: message.method,
        path: message.url,
        headers: kept(message.rawHeaders),
      },
      (answer) => {
        out.writeHead(answer.statusCode ?? 502, kept(answer.rawHeaders))
        // What comes at once leaves with the head; what does not must not hold the head back.
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

function kept(raw: readonly string[]): string[] {
  const headers: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? ''
    if (!hopHeaders.has(name.toLowerCase())) headers.push(name, raw[i + 1] ?? '')
  }
  return headers
}

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Posted {
  path: string
  headers: IncomingHttpHeaders
  text: string
}

type Reply = { status: number; headers?: Record<string, string> } | 'never'

export interface Webhook {
  url: string
  /** Every post, oldest first. */
  posted: Posted[]
  /**
   * Sets the reply from now on, or a function that chooses the reply to each post. `never`: the caller gets no reply.
   */
  answers(next: Reply | ((posted: Posted) => Reply)): void
  close(): Promise<void>
}

/** A webhook receiver on a socket of its own. The test sets its replies. */
export async function startWebhook(): Promise<Webhook> {
  const posted: Posted[] = []
  let answer: Parameters<Webhook['answers']>[0] = { status: 200 }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { url: path = '', headers } = request
      const post = { path, headers, text: Buffer.concat(chunks).toString() }
      posted.push(post)
      const reply = typeof answer === 'function' ? answer(post) : answer
      if (reply !== 'never') response.writeHead(reply.status, reply.headers).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    posted,
    answers(next) {
      answer = next
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

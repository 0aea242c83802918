import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

interface Asked {
  url: string | undefined
  headers: IncomingHttpHeaders
  question: Record<string, unknown>
}

/** A fake platform. Each test sets its responses to a starting container: a status, and the start's variables. */
export class Platform implements AsyncDisposable {
  readonly asked: Asked[] = []
  readonly #replies: [number, unknown][] = []
  readonly #server = createServer(async (request, response) => {
    const question = (await json(request)) as Asked['question']
    this.asked.push({ url: request.url, headers: request.headers, question })
    const [status, body] = this.#replies.shift() ?? [503, { error: 'Not yet' }]
    if (status === 0) return void response.destroy()
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })

  static async start(): Promise<Platform> {
    const platform = new Platform()
    platform.#server.listen(0, '127.0.0.1')
    await once(platform.#server, 'listening')
    return platform
  }

  /** @param status 0 closes the connection instead */
  willAnswer(status: number, body: unknown = {}): void {
    this.#replies.push([status, body])
  }

  /** The variables of the task. */
  get environment(): Record<string, string> {
    const { port } = this.#server.address() as AddressInfo
    return {
      AGENT_BOOTSTRAP_URL: `http://127.0.0.1:${port}/bootstrap`,
      AGENT_BOOTSTRAP_TOKEN: 'a-token-that-is-good-once',
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Call {
  path: string | undefined
  headers: IncomingHttpHeaders
  body: { model?: string; stream?: boolean; messages: { role: string; content: string }[] }
}

export type Reply = (response: ServerResponse, call: Call) => Promise<void> | void

/** An OpenAI-compatible server on a random port. Each test sets its behaviour. */
export class Upstream implements AsyncDisposable {
  readonly calls: Call[] = []
  reply: Reply = (response) => say(response, 'Fine, thanks.')
  readonly #server = createServer((request, response) => this.#serve(request, response))

  static async start(): Promise<Upstream> {
    const upstream = new Upstream()
    upstream.#server.listen(0, '127.0.0.1')
    await once(upstream.#server, 'listening')
    return upstream
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  get lastCall(): Call {
    const call = this.calls.at(-1)
    if (call === undefined) throw new Error('the upstream was not called')
    return call
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    const body = JSON.parse(text === '' ? '{"messages":[]}' : text) as Call['body']
    const call = { path: request.url, headers: request.headers, body }
    this.calls.push(call)
    await this.reply(response, call)
  }
}

/** Sends a whole completion. */
export function say(response: ServerResponse, content: string): void {
  const message = { role: 'assistant', content }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  sendJson(response, 200, { id: 'c1', object: 'chat.completion', choices, usage })
}

const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
}

/** Sends one chunk of text. */
export function sayChunk(response: ServerResponse, content: string): void {
  sendEvent(response, { choices: [{ index: 0, delta: { content } }] })
}

/** Sends the last two events of a finished stream. */
export function endStream(response: ServerResponse): void {
  sendEvent(response, { choices: [], usage })
  response.end('data: [DONE]\n\n')
}

export function sendEvent(response: ServerResponse, data: unknown): void {
  response.write(`data: ${JSON.stringify(data)}\n\n`)
}

/** Sends bytes and waits until they have been written. */
export function flush(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => {
    response.write(text, () => resolve())
  })
}

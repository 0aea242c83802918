import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An order that the provider has accepted. */
interface Taken {
  id: string
  body: Record<string, unknown>
  headers: IncomingMessage['headers']
}

type Answer = (response: ServerResponse) => void | Promise<void>

export interface Moods {
  /** Called before an order is accepted. A result replaces the response, and the order is not accepted. */
  beforeTaking?: ((body: Record<string, unknown>) => Answer | undefined) | undefined
  /** Called after an order was accepted. A result replaces the usual response. */
  afterTaking?: ((taken: Taken) => Answer | undefined) | undefined
  /** Returns the state of an order; default: `completed` at the second request. */
  look?: ((looks: number) => Answer) | undefined
  content?: Answer | undefined
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }

/** Closes the connection without a response. */
export const hangUp: Answer = (response) => void response.socket?.destroy()

/** Returns the bytes of a prompt's video. */
export const videoOf = (prompt: unknown, length = 200_000): Buffer =>
  Buffer.alloc(length, `video of ${String(prompt)};`)

/** A video provider in the form of OpenAI's API. The test sets its behaviour. It counts orders. */
export async function startVideoProvider() {
  const taken: Taken[] = []
  const looks = new Map<string, number>()
  let moods: Moods = {}
  let asked = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    asked++
    const [, id = '', part] =
      /^\/v1\/videos(?:\/([^/]+))?(\/content)?$/.exec(request.url ?? '') ?? []
    if (request.method === 'POST') {
      const body = JSON.parse(text) as Record<string, unknown>
      const instead = moods.beforeTaking?.(body)
      if (instead !== undefined) return instead(response)
      const one = { id: `video_${taken.length + 1}`, body, headers: request.headers }
      taken.push(one)
      const usual = json(200, { id: one.id, object: 'video', status: 'queued', progress: 0 })
      return (moods.afterTaking?.(one) ?? usual)(response)
    }
    const order = taken.find((one) => one.id === id)
    if (order === undefined) return json(404, { error: { message: 'No such video' } })(response)
    if (part !== undefined) {
      if (moods.content !== undefined) return moods.content(response)
      response.writeHead(200, { 'content-type': 'video/mp4' })
      response.end(videoOf(order.body.prompt))
      return
    }
    const count = (looks.get(id) ?? 0) + 1
    looks.set(id, count)
    const status = count < 2 ? 'in_progress' : 'completed'
    return (moods.look?.(count) ?? json(200, { id, object: 'video', status }))(response)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    taken,
    /** Returns the accepted orders with this prompt. */
    takenOf: (prompt: string) => taken.filter(({ body }) => body.prompt === prompt),
    /** Returns the number of requests. */
    asked: () => asked,
    /** Sets its behaviour from now on. */
    behave(as: Moods) {
      moods = as
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

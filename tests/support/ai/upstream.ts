import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A chat completion request as a provider sees it. */
export interface CompletionCall {
  model: string
  body: Record<string, unknown>
  /** The path below the base URL. */
  path: string
  headers: IncomingHttpHeaders
  authorization: string | undefined
  /** Resolves once the client has closed the connection before the end of the response. */
  abandoned: Promise<void>
}

export type Behaviour = (response: ServerResponse, asked: CompletionCall) => void | Promise<void>

/** A model provider on a socket of its own. The test sets its behaviour for each model. */
export interface Upstream {
  baseUrl: string
  asked: CompletionCall[]
  /** The number of open connections, and the number of all connections so far. */
  connections: { open: number; ever: number }
  /** Sets the behaviour of a model. A model without a behaviour does not exist. */
  serve(model: string, behaviour: Behaviour): void
  /** Removes all behaviours and recorded requests. */
  reset(): void
  /** Sets the result of GET /models; by default the path does not exist. */
  list(models: unknown): void
  /** Returns the number of requests to GET /models. */
  listed(): number
  /** The `authorization` of each request to GET /models. */
  listers: readonly (string | undefined)[]
  close(): Promise<void>
}

export async function startUpstream(): Promise<Upstream> {
  const behaviours = new Map<string, Behaviour>()
  const asked: CompletionCall[] = []
  let models: unknown
  const listers: (string | undefined)[] = []
  // Idle connections outlast any test, so that a slow machine does not cause new ones.
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    void (async () => {
      if (request.method === 'GET') {
        listers.push(request.headers.authorization)
        return models === undefined
          ? sendJson(response, 404, { error: { message: 'no such path' } })
          : sendJson(response, 200, { object: 'list', data: models })
      }
      const body = await bodyOf(request)
      const model = String(body.model)
      const { promise: abandoned, resolve } = Promise.withResolvers<void>()
      response.once('close', () => !response.writableFinished && resolve())
      const { headers, url = '' } = request
      const path = url.slice('/v1'.length)
      const { authorization } = headers
      const entry = { model, body, path, headers, authorization, abandoned }
      asked.push(entry)
      await (behaviours.get(model) ?? fails(404, 'no such model'))(response, entry)
    })().catch(() => response.destroy())
  })
  const connections = { open: 0, ever: 0 }
  server.on('connection', (socket) => {
    connections.open++
    connections.ever++
    socket.once('close', () => connections.open--)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    connections,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    serve: (model, behaviour) => void behaviours.set(model, behaviour),
    reset() {
      behaviours.clear()
      asked.length = 0
    },
    list: (data) => {
      models = data
    },
    listed: () => listers.length,
    listers,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Returns a body of JSON, or the fields of a form. */
async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const bytes = await buffer(request)
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/')) return JSON.parse(bytes.toString()) as Record<string, unknown>
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
  return Object.fromEntries(form)
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export function usage(input: number, output: number, more: object = {}) {
  const total = input + output
  return { prompt_tokens: input, completion_tokens: output, total_tokens: total, ...more }
}

/** Answers with `content` and the provider's own name of the model. */
export function says(content: string, used?: object, more: object = {}): Behaviour {
  return (response, { body, model }) => {
    if (body.stream === true)
      return sendStream(response, [
        ...[...content].map((each) => delta({ content: each })),
        delta({}, 'stop'),
        ...(used === undefined ? [] : [{ choices: [], usage: used }]),
        '[DONE]',
      ])
    return sendJson(response, 200, {
      id: 'up-1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: `${model}-2026`,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      ...(used && { usage: used }),
      ...more,
    })
  }
}

export function fails(
  status: number,
  message = 'failed',
  headers: Record<string, string> = {},
): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ error: { message, type: 'x', code: null } }))
  }
}

/** Reads the request and never responds. */
export const isSilent: Behaviour = () => {}

export function delta(fields: object, finish: string | null = null) {
  return {
    id: 'up-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'their-name',
    choices: [{ index: 0, delta: fields, finish_reason: finish }],
  }
}

/** Sends each event in a packet of its own. */
export async function sendStream(
  response: ServerResponse,
  events: readonly (object | string)[],
  { end = true } = {},
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events) {
    response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    await new Promise(setImmediate)
  }
  if (end) response.end()
}

/** Sends these events, then cuts the connection as a crash does. */
export function cutAfter(events: readonly object[]): Behaviour {
  return async (response) => {
    await sendStream(response, events, { end: false })
    response.destroy()
  }
}

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { closeServer, listen } from '../server/listen.ts'
import { readJson, sendJson } from '../server/read-json.ts'
import { answer, completionSchema, isKnownModel } from './answer.ts'
import { streamAnswer } from './stream.ts'

export interface Provider {
  /** The base URL for an OpenAI client. */
  baseUrl: string
  port: number
  close(): Promise<void>
}

/**
 * Starts the stand-in model provider, an OpenAI-compatible server on loopback, so that chat works before a real one is set.
 * @param options.wordMs the delay before each word of a streamed reply
 */
export async function startProvider({
  port = 0,
  wordMs = 0,
}: { port?: number; wordMs?: number } = {}): Promise<Provider> {
  const created = Math.floor(Date.now() / 1000)

  async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const json = await readJson(request).catch(() => undefined)
    const parsed = completionSchema.safeParse(json)
    if (!parsed.success) {
      const issue = parsed.error.issues[0]
      const param = issue?.path.join('.') || null
      refuse(response, 400, issue?.message ?? 'invalid body', 'invalid_request', param)
      return
    }
    const { model, stream } = parsed.data
    if (!isKnownModel(model)) {
      refuse(response, 404, `The model ${model} does not exist`, 'model_not_found', 'model')
      return
    }
    const base = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1000), model }
    const reply = answer(parsed.data)
    if (stream === true) {
      await streamAnswer(response, base, reply, wordMs)
      return
    }
    const message = { role: 'assistant', content: reply.text }
    sendJson(response, 200, {
      ...base,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: reply.finishReason }],
      usage: reply.usage,
    })
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0]
    if (request.method === 'POST' && path === '/v1/chat/completions') {
      await complete(request, response)
      return
    }
    if (request.method === 'GET' && path === '/v1/models') {
      const data = [{ id: 'echo', object: 'model', created, owned_by: 'local' }]
      sendJson(response, 200, { object: 'list', data })
      return
    }
    refuse(response, 404, `Unknown request: ${request.method} ${path}`, 'unknown_url', null)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  const bound = await listen(server, port)
  return {
    baseUrl: `http://127.0.0.1:${bound}/v1`,
    port: bound,
    close: () => closeServer(server, 1000),
  }
}

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  code: string,
  param: string | null,
): void {
  sendJson(response, status, { error: { message, type: 'invalid_request_error', code, param } })
}

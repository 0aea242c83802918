import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Refusal, telegramMethods } from './telegram-methods.ts'
import { PlayedBot } from './telegram-state.ts'

type Interference = (method: string) => Refusal | 'hang-up' | undefined

/**
 * The Bot API as api.telegram.org serves it: tokens, webhooks, long polls, messages, files and limits are checked as
 * there (core.telegram.org/bots/api), with its texts of errors.
 */
export async function startTelegram() {
  const bots = new Map<string, PlayedBot>()
  let interfere: Interference = () => undefined
  /** The methods that were called, in order. */
  const calls: { method: string; token: string }[] = []

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(request)
    const url = new URL(request.url ?? '/', 'http://telegram')
    const file = /^\/file\/bot([^/]+)\/(.+)$/.exec(url.pathname)
    if (file !== null) return sendFile(response, bots.get(file[1] ?? ''), file[2])
    const [, token = '', method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(url.pathname) ?? []
    calls.push({ method, token })
    try {
      if (!/^\d+:[\w-]{30,}$/.test(token)) throw new Refusal(404, 'Not Found')
      const bot = bots.get(token)
      if (bot === undefined) throw new Refusal(401, 'Unauthorized')
      const run = Object.entries(telegramMethods).find(
        ([name]) => name.toLowerCase() === method.toLowerCase(),
      )?.[1]
      if (run === undefined) throw new Refusal(404, 'Not Found')
      const instead = interfere(method)
      if (instead === 'hang-up') return void response.socket?.destroy()
      if (instead !== undefined) throw instead
      const fields = await fieldsOf(request, url, body)
      const result = await run(bot, fields, response)
      send(response, 200, { ok: true, result })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { status, message, parameters } = error
      const refused = { ok: false, error_code: status, description: message }
      send(response, status, { ...refused, ...(parameters && { parameters }) })
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    /** Creates a bot, as BotFather does. */
    newBot(username = 'played_bot'): PlayedBot {
      const bot = new PlayedBot(username)
      bots.set(bot.token, bot)
      return bot
    },
    /** Revokes a bot's token, as its owner does at BotFather. */
    revoke: ({ token }: PlayedBot) => void bots.delete(token),
    /** Replaces the responses of methods from now on. */
    behave(next: Interference) {
      interfere = next
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Reads the fields of a call: query, JSON, a form, or a form with files. */
async function fieldsOf(
  { headers }: IncomingMessage,
  url: URL,
  body: Buffer,
): Promise<Record<string, unknown>> {
  const query = Object.fromEntries(url.searchParams)
  const type = headers['content-type'] ?? ''
  if (body.length === 0) return query
  if (type.startsWith('application/json'))
    return { ...query, ...(JSON.parse(body.toString()) as Record<string, unknown>) }
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': type },
  }).formData()
  return { ...query, ...Object.fromEntries(form) }
}

function sendFile(response: ServerResponse, bot: PlayedBot | undefined, path = ''): void {
  const content = bot?.paths.get(decodeURIComponent(path))
  if (content === undefined) {
    send(response, 404, { ok: false, error_code: 404, description: 'Not Found' })
    return
  }
  response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(content)
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

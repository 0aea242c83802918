import type { ServerResponse } from 'node:http'
import { type Call, say, sendJson } from './upstream.ts'

const path = '/api/underground/bus'

type Round = (response: ServerResponse, call: Call) => Promise<void> | void

/** A fake bus and a fake model behind one address. Each test sets the model's behaviour. */
export class PlayedBus {
  /** The sent messages without repetitions. */
  readonly sent: Record<string, unknown>[] = []
  /** The queries of the inbox. */
  readonly looks: string[] = []
  /** The model's behaviour by call. After the last, it replies. */
  rounds: Round[] = []
  /** The requests to the model. */
  asked: Call[] = []
  /** Every request to the bus, with its key. */
  readonly calls: Call[] = []
  inbox: Record<string, unknown>[] = []
  /** Responses to `send` that replace the bus's own. 0 accepts the message and closes the connection. */
  troubles: [number, unknown][] = []

  /** The tool results in the last request to the model. */
  get results(): Record<string, unknown>[] {
    const toolMessages = (this.asked.at(-1)?.body.messages ?? []).filter(
      ({ role }) => role === 'tool',
    )
    return toolMessages.map(({ content }) => JSON.parse(content) as Record<string, unknown>)
  }

  reply(response: ServerResponse, call: Call): Promise<void> | void {
    if (call.path?.startsWith(path) === true) return this.#serve(response, call)
    this.asked.push(call)
    const round = this.rounds.shift()
    return round === undefined ? say(response, 'Done.') : round(response, call)
  }

  #serve(response: ServerResponse, call: Call): void {
    this.calls.push(call)
    const body = call.body as unknown as Record<string, unknown>
    if (call.path === `${path}/sign`) sendJson(response, 200, { signature: '0x5', address: '0xA' })
    else if (call.path === `${path}/send`) this.#send(response, body)
    else this.#read(response, call.path ?? '')
  }

  #send(response: ServerResponse, message: Record<string, unknown>): void {
    const again = this.sent.some(({ messageId }) => messageId === message['messageId'])
    const [status, body] = this.troubles.shift() ?? []
    if (status !== undefined && status > 0) return sendJson(response, status, body)
    if (!again) this.sent.push(message)
    if (status === 0) return void response.destroy()
    sendJson(response, again ? 409 : 200, again ? { error: 'Seen before' } : { success: true })
  }

  #read(response: ServerResponse, url: string): void {
    this.looks.push(url.slice(`${path}/inbox`.length))
    const { searchParams } = new URL(url, 'http://bus')
    const after = searchParams.get('after')
    const from = this.inbox.findIndex(({ messageId }) => messageId === after) + 1
    const page = this.inbox.slice(from, from + Number(searchParams.get('limit')))
    const messages = page.map((message) => ({ message, receivedAt: '2026-01-01T00:00:00.000Z' }))
    sendJson(response, 200, { messages, count: messages.length })
  }
}

/** Returns a message as it is received from another agent. */
export function received(messageId: string, payload: unknown = { text: 'Hello' }) {
  return { messageId, from: { agentId: 'agt_other' }, action: 'NOTE', payload }
}

interface Asked {
  name: string
  given: unknown
  id?: string
}

/** Sends a completion with tool calls. */
export function askFor(response: ServerResponse, ...asked: Asked[]): void {
  const calls = asked.map(({ name, given, id = `call_${name}` }) => ({
    id,
    type: 'function',
    function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
  }))
  const message = { role: 'assistant', content: null, tool_calls: calls }
  sendJson(response, 200, { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })
}

/** The model's message to another agent. */
export const hello = { to: 'agt_other', action: 'NOTE', payload: { text: 'Hi' } }

export const sends: Round = (response) => askFor(response, { name: 'send_message', given: hello })

export const reads: Round = (response) => askFor(response, { name: 'read_inbox', given: {} })

export const question = { messages: [{ role: 'user', content: 'Greet the other one.' }] }

import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { sessionHeader } from '../chat/session-header.ts'
import { callUpstream, readWhole } from '../chat/upstream.ts'
import { jsonIn } from '../http/json.ts'
import { Problem } from '../http/problem.ts'
import type { Settings } from '../settings.ts'

/** A message to another agent. */
export interface OutgoingMessage {
  to: string
  action: string
  payload: Record<string, unknown>
  /** The messageId of the message that this one answers. */
  replyTo?: string | undefined
}

/** The result, in words for the model. */
export type SendResult =
  | { sent: true; messageId: string; note?: string }
  | { state: 'pending'; approvalId: string }
  | { sent: false; error: string; code?: string }

/** The timeout, in milliseconds. A delivery alone may take five seconds. */
const timeoutMs = 20_000

const inbox = z.object({
  messages: z.array(
    z.object({
      message: z.looseObject({
        messageId: z.string(),
        from: z.looseObject({ agentId: z.string() }),
        action: z.string(),
        payload: z.unknown(),
        metadata: z.looseObject({ replyTo: z.string().optional() }).optional(),
      }),
      receivedAt: z.string(),
    }),
  ),
})

export type InboxMessage = z.output<typeof inbox>['messages'][number]

/** A person must approve the message before it is sent. */
const pending = z.object({ state: z.literal('pending'), approvalId: z.string() })

const signature = z.object({ signature: z.string(), address: z.string() })

const refusal = z.looseObject({ error: z.string(), code: z.string().optional() })

/** The client of the platform's bus. It uses the agent's own key, which reads no other inbox and signs for no other agent. */
export class Bus {
  readonly #ai: Settings['ai']
  readonly #agentId: string

  constructor({ ai, agentId }: Pick<Settings, 'ai' | 'agentId'>) {
    this.#ai = { ...ai, baseUrl: new URL('/api/underground/bus', ai.baseUrl), timeoutMs }
    this.#agentId = agentId
  }

  /**
   * Signs and sends a message.
   * @throws Problem 502 or 504 if the platform does not respond
   */
  async send(
    { to, action, payload, replyTo }: OutgoingMessage,
    { signal, session }: { signal: AbortSignal; session: string | undefined },
  ): Promise<SendResult> {
    const messageId = randomUUID()
    const message = {
      messageId,
      timestamp: new Date().toISOString(),
      to: { agentId: to },
      action,
      payload,
      ...(replyTo !== undefined && { metadata: { replyTo } }),
    }
    const from = { agentId: this.#agentId }
    const signed = await this.#ask('POST', '/sign', signal, { ...message, from })
    const parsed = signature.safeParse(signed.body).data
    if (parsed === undefined) return refused(signed)
    const { address: walletAddress, signature: by } = parsed
    const whole = { ...message, from: { ...from, walletAddress }, signature: by }
    const answer = await this.#sendOnce(whole, signal, sessionHeader(session))
    if (answer.status === 200) return { sent: true, messageId }
    const waiting = pending.safeParse(answer.body).data
    if (waiting !== undefined) return waiting
    const failure = refusal.safeParse(answer.body).data
    if (failure?.code === 'DELIVERY_FAILED')
      return { sent: true, messageId, note: 'It was accepted and will be delivered later.' }
    // The id is new, so the platform can know it only from the first attempt.
    if (answer.again && answer.status === 409) return { sent: true, messageId }
    return refused(answer)
  }

  /** Returns the messages after a given one, oldest first. @throws Problem 502 or 504 */
  async inbox(
    after: string | undefined,
    limit: number,
    signal: AbortSignal,
  ): Promise<InboxMessage[]> {
    const query = { limit: String(limit), ...(after !== undefined && { after }) }
    const answer = await this.#ask('GET', '/inbox', signal, undefined, { query })
    const read = answer.status === 200 ? inbox.safeParse(answer.body).data : undefined
    if (read === undefined)
      throw new Problem(502, 'inbox_unreadable', `The inbox cannot be read: ${answer.status}`)
    return read.messages
  }

  /** Sends a request and retries once if the response was lost. The platform accepts the same message only once. */
  async #sendOnce(message: object, signal: AbortSignal, headers: Record<string, string>) {
    const ask = () => this.#ask('POST', '/send', signal, message, { headers })
    try {
      return { ...(await ask()), again: false }
    } catch (error) {
      if (!(error instanceof Problem) || signal.aborted) throw error
      return { ...(await ask()), again: true }
    }
  }

  async #ask(
    method: 'GET' | 'POST',
    path: string,
    signal: AbortSignal,
    body?: object,
    more: { query?: Record<string, string>; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const call = { method, path, body, ...more, requestId: randomUUID(), signal }
    const answer = await callUpstream(this.#ai, call)
    return { status: answer.status, body: jsonIn(String(await readWhole(answer))) }
  }
}

interface Answer {
  status: number
  body: unknown
}

function refused({ status, body }: Answer): SendResult {
  const { error = `The bus responded with ${status}`, code } = refusal.safeParse(body).data ?? {}
  return { sent: false, error, ...(code !== undefined && { code }) }
}

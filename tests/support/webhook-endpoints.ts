import * as group from '../../functions/web/webhook-endpoints.ts'
import { createLog } from '../../shared/platform/log.ts'
import type { GuardOptions } from '../../shared/platform/http-client/guarded.ts'
import type { Mail } from '../../shared/platform/mail/port.ts'
import type { Queues } from '../../shared/platform/queues/port.ts'
import type { Table } from '../../shared/platform/table/port.ts'
import { takeUp } from '../../shared/webhook-endpoints/delivery/take-up.ts'
import { tickWebhooks } from '../../shared/webhook-endpoints/delivery/tick.ts'
import type { WebhookWork } from '../../shared/webhook-endpoints/delivery/topic.ts'
import { callerOf, type UserCall } from './caller.ts'
import { encryptionKey } from './chat.ts'

export interface CreatedEndpoint {
  id: string
  url: string
  events: string[]
  secret: string
}

export interface Delivery {
  id: string
  messageId: string
  type: string
  createdAt: string
  status: string
  attempts: number
  responseStatus: number | null
  nextAttemptAt: string | null
}

/** The routes of webhook endpoints and their job over a table; messages wait for the test, which says when time passes. */
export function webhookEndpoints(table: Table, guard: GuardOptions = { deployed: false }) {
  const sent: { message: WebhookWork; delaySeconds: number }[] = []
  const mails: Mail[] = []
  const queues: Queues = {
    send: async (_topic, message, { delaySeconds = 0 } = {}) =>
      void sent.push({ message: message as WebhookWork, delaySeconds }),
    sendAll: async (topic, messages) => {
      for (const message of messages) await queues.send(topic, message)
    },
  }
  const ctx = {
    table,
    queues,
    guard,
    encryptionKey,
    log: createLog({ function: 'test' }),
    webUrl: 'http://localhost:3000',
    mailer: { send: async (mail: Mail) => void mails.push(mail) },
  }
  const call = callerOf(group, ctx)

  async function ask(method: string, path: string, options: UserCall = {}) {
    const answer = await call(method, `/api/webhook-endpoints${path}`, options)
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }

  return {
    ctx,
    sent,
    mails,
    ask,
    async create(session: string, url: string, events: string[]): Promise<CreatedEndpoint> {
      const { body } = await ask('POST', '', { session, body: { url, events } })
      return body as unknown as CreatedEndpoint
    },
    async deliveries(session: string, id: string): Promise<Delivery[]> {
      return (await ask('GET', `/${id}/deliveries`, { session })).body.deliveries as Delivery[]
    },
    /** What the tick of a time and then the queue do, each message handed out twice. */
    async run(now: number): Promise<void> {
      await tickWebhooks(ctx, now)
      for (const { message } of sent.splice(0))
        await Promise.all([takeUp(ctx, message, now), takeUp(ctx, message, now)])
    },
  }
}

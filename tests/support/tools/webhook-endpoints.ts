import * as group from '#functions/web/webhook-endpoints.ts'
import type { GuardOptions } from '#shared/platform/http-client/guarded.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Mail } from '#shared/platform/mail/port.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { WebhookWork } from '#shared/signals/outbound-webhooks/topic.ts'
import { attemptWebhookDelivery } from '#shared/tools/webhook-endpoints/delivery/attempt.ts'
import { tickWebhooks } from '#shared/tools/webhook-endpoints/delivery/tick.ts'
import type { NewWebhookEndpoint } from '../../../clients/typescript/index.ts'
import { encryptionKey } from '../conversations/chat.ts'
import { callerOf, type UserCall } from '../http/caller.ts'
import { platformOver } from '../http/platform-over.ts'

/** Starts the routes of webhook endpoints and their job over a table. Messages wait until the test lets time pass. */
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

  /** Delivers all messages as the queue does, each of them twice. */
  async function runSent(now = Date.now()): Promise<void> {
    for (const { message } of sent.splice(0))
      await Promise.all([
        attemptWebhookDelivery(ctx, message, now),
        attemptWebhookDelivery(ctx, message, now),
      ])
  }

  return {
    ctx,
    sent,
    mails,
    call,
    ask,
    create: (session: string, url: string, events: NewWebhookEndpoint['events']) =>
      platformOver(call, { session }).webhookEndpoints.create({ url, events }),
    deliveries: (session: string, id: string) =>
      platformOver(call, { session }).webhookEndpoints.deliveries(id),
    /** Runs the tick at a time, then delivers its messages. */
    async run(now: number): Promise<void> {
      await tickWebhooks(ctx, now)
      await runSent(now)
    },
    runSent,
  }
}

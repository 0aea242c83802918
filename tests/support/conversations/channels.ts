import { vi } from 'vitest'
import * as deliveriesJob from '#functions/jobs/channel-deliveries.ts'
import * as turnsJob from '#functions/jobs/channel-turns.ts'
import * as due from '#functions/scheduled/channels-due.ts'
import * as inGroup from '#functions/web/channels-in.ts'
import * as group from '#functions/web/channels.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Mail } from '#shared/platform/mail/port.ts'
import { mailPlace } from '#shared/platform/mail/topic.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { sealer } from '#shared/platform/seal.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { webhookHeaders } from '#shared/platform/webhook-signature.ts'
import { callerOf, type UserCall } from '../http/caller.ts'
import { memoryObjects } from '../platform/memory-objects.ts'
import { settingsOf } from '../platform/table.ts'
import { encryptionKey } from './chat.ts'

interface Message {
  queue: string
  body: never
  delaySeconds: number
  /** The time when its delay ends, by the clock of the jobs. */
  due: number
}

/** Wraps the ports of a process, which a test can kill. */
interface Process {
  reach<T extends object>(port: T): T
}

const alive: Process = { reach: (port) => port }

/**
 * The routes and jobs of channels over a table. Messages wait until the test delivers them.
 * @param settings such as TELEGRAM_API_URL, for a played service
 */
export function channelsOver(table: Table, settings: Readonly<Record<string, string>> = {}) {
  const config = loadConfig({
    WALLET_ENCRYPTION_KEY: encryptionKey,
    ...settingsOf(table),
    ...settings,
  })
  const { objects, stored } = memoryObjects()
  const waiting: Message[] = []
  const mails: Mail[] = []
  const state = { now: Date.now() }
  const enqueue = (queue: string, body: unknown, delaySeconds: number) =>
    waiting.push({ queue, body: body as never, delaySeconds, due: state.now + delaySeconds * 1000 })
  const queues: Queues = {
    async send({ queue }, body, { delaySeconds = 0 } = {}) {
      enqueue(queue, body, delaySeconds)
    },
    async sendAll({ queue }, bodies) {
      for (const body of bodies) enqueue(queue, body, 0)
    },
  }
  const log = createLog({ function: 'test' })
  const reachTime = (at: number) => {
    state.now = Math.max(Date.now(), at)
    if (vi.isFakeTimers()) vi.setSystemTime(state.now)
  }
  const services = {
    table,
    queues,
    config,
    encryptionKey,
    webUrl: config.WEB_URL,
    objects,
    packs: objects,
    guard: { deployed: false },
    allowed: [],
  }
  const call = callerOf(group, services)
  const receiver = ({ reach }: Process) =>
    callerOf(inGroup, { ...services, table: reach(table), queues: reach(queues) })
  const context = (process: Process) => ({
    ...services,
    table: process.reach(table),
    queues: process.reach(queues),
    packs: process.reach(objects),
    log,
    requestId: newId('req'),
    actor: { type: 'platform' as const, askedBy: 'public' as const },
    seed: newSeed(),
    receives: 1,
    clock: () => state.now,
  })

  async function carryOut({ queue, body }: Message, process: Process): Promise<void> {
    if (queue === 'channel-turns') await turnsJob.job.handle(context(process), body)
    if (queue === 'mails') {
      const { sealed } = body as { sealed: string }
      mails.push(JSON.parse(String(await sealer(encryptionKey).open(sealed, mailPlace))) as Mail)
    }
    if (queue === 'channel-deliveries') await deliveriesJob.job.handle(context(process), body)
  }

  return {
    config,
    queues,
    waiting,
    objects,
    /** The objects of the bucket by key. */
    stored,
    /** The delivered mails. */
    mails,
    /** The clock of the jobs, in epoch milliseconds. If a test replaces `Date`, it follows this clock. */
    state,
    /** @returns status and body */
    async call(method: string, path: string, options: UserCall = {}) {
      const answer = await call(method, `/api/agents/${path}`, options)
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    },
    /** Sends a request as the service of a channel. */
    receive(
      path: string,
      options: UserCall & { method?: string } = {},
      process: Process = alive,
    ): Promise<Response> {
      return receiver(process)(options.method ?? 'POST', `/in/${path}`, options)
    },
    /** Sends a webhook that is signed by Standard Webhooks. */
    async hook(channel: { id: string; secret: string }, id: string, body: unknown) {
      const text = JSON.stringify(body)
      const headers = webhookHeaders(channel.secret, { id, body: text, now: Date.now() })
      return receiver(alive)('POST', `/in/webhook/${channel.id}`, { text, headers })
    },
    /**
     * Delivers all waiting messages and those that they cause. The clock moves on to the end of each delay.
     * @param atOnce the number of messages that are carried out at the same time, of different chats
     */
    async deliver(process: Process = alive, atOnce = 1): Promise<void> {
      for (let count = 0; count < 100_000; count++) {
        const messages = takeDue(waiting, atOnce)
        if (messages.length === 0) return
        reachTime(Math.max(state.now, ...messages.map(({ due }) => due)))
        await Promise.all(messages.map((message) => carryOut(message, process)))
      }
      throw new Error('the messages of channels do not end')
    },
    /** Delivers the first waiting message, if any. */
    async deliverOne(): Promise<void> {
      const message = waiting.shift()
      if (message !== undefined) await carryOut(message, alive)
    },
    /** Requests due work, as the schedule does every minute. */
    tick(process: Process = alive): Promise<object> {
      reachTime(state.now)
      return due.tick({ ...context(process), scheduledAt: state.now })
    },
  }
}

/** Takes messages of different chats whose delays end next, and together. */
function takeDue(waiting: Message[], atOnce: number): Message[] {
  const next = Math.min(...waiting.map(({ due }) => due))
  const taken = new Map<string | undefined, Message>()
  for (const message of waiting) {
    const { chat } = message.body as { chat?: string }
    if (message.due === next && taken.size < atOnce && !taken.has(chat)) taken.set(chat, message)
  }
  const messages = [...taken.values()]
  for (const message of messages) waiting.splice(waiting.indexOf(message), 1)
  return messages
}

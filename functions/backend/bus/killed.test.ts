import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { attemptBusDelivery } from '#shared/network/bus/delivery/attempt.ts'
import { tickDeliveries } from '#shared/network/bus/delivery/tick.ts'
import type { DeliveryRef } from '#shared/network/bus/delivery/topic.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { type Bus, busCaller, signed, type Signer } from '#tests/support/network/bus.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { startWebhook, type Webhook } from '#tests/support/tools/webhook-receiver.ts'

const config = loadConfig({ WALLET_ENCRYPTION_KEY: encryptionKey })
const log = createLog({ function: 'test' })
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

let database: TestTable
let bus: Bus
let hook: Webhook
let waiting: DeliveryRef[]

/** Services of a process that dies before or after its n-th external call. After that, every call fails. */
function mortal(calls: number, after: boolean) {
  const life = { left: calls, died: false }
  const die = () => {
    life.died = true
    throw new Error('the process was killed')
  }
  const call = async <T>(run: () => Promise<T>): Promise<T> => {
    if (life.died) die()
    life.left--
    if (life.left >= 0) return run()
    if (after) await run()
    return die()
  }
  const table = new Proxy(database.table, {
    get:
      (target, name: keyof Table) =>
      (...given: never[]) =>
        call(() => (target[name] as (...all: never[]) => Promise<unknown>)(...given)),
  })
  const queues: Queues = {
    send: (_topic, message) => call(async () => void waiting.push(message as DeliveryRef)),
    sendAll: (_topic, messages) =>
      call(async () => void waiting.push(...(messages as readonly DeliveryRef[]))),
  }
  return { life, table, queues }
}

const immortal = () => mortal(Infinity, false)

beforeAll(async () => {
  database = await startTestTable()
  bus = busCaller(database.table)
})
afterAll(() => database.close())
beforeEach(async () => {
  waiting = []
  hook = await startWebhook()
  return () => hook.close()
})

const context = ({ table, queues }: Pick<ReturnType<typeof mortal>, 'table' | 'queues'>) => ({
  table,
  queues,
  config,
  guard: { deployed: false },
  log,
})

/** Runs the tick and the queue until nothing is left. Each message is delivered twice. */
async function recover(): Promise<void> {
  const alive = immortal()
  for (let round = 0; round < 20; round++) {
    await tickDeliveries(alive, Date.now() + 3_600_000)
    if (waiting.length === 0) return
    for (const message of waiting.splice(0))
      await Promise.all([
        attemptBusDelivery(context(alive), message),
        attemptBusDelivery(context(alive), message),
      ])
  }
  throw new Error('something is left to do forever')
}

async function countOf(userId: string): Promise<number> {
  const { items } = await database.table.query({ pk: `user#${userId}`, beginsWith: 'bus-count#' })
  return Number(items[0]?.count ?? 0)
}

async function expectOneEnd(ada: Signer, bob: Signer, messageId: string): Promise<void> {
  const observed = await database.table.get({ pk: `bus-message#${messageId}`, sk: 'message' })
  const posts = hook.posted.map(({ headers }) => headers['webhook-id'])
  const { messages } = (await bus.inbox(bob.agent.id)).body
  const stored = messages.map(({ message }) => message.messageId)
  expect(new Set([...posts, ...stored])).toEqual(new Set(observed === undefined ? [] : [messageId]))
  expect(stored.length).toBeLessThanOrEqual(1)
  expect(observed?.open).toBeUndefined()
  expect(await countOf(ada.agent.userId as string)).toBe(observed === undefined ? 0 : 1)
}

const hooked = () => ({ config: { webhookUrl: hook.url, webhookSecret: secret } })

describe.each([
  ['that is delivered', hooked, 200],
  ['whose delivery fails', hooked, 500],
  ['for the inbox', () => ({}), 200],
] as const)('a message %s', (_name, fields, status) => {
  it.each([false, true])(
    'is neither lost, doubled nor miscounted if the process is killed at any of its calls (after the call: %s)',
    async (after) => {
      hook.answers({ status })
      for (let calls = 0; ; calls++) {
        hook.posted.length = 0
        const ada = await bus.signer(await bus.subscriber())
        const bob = await bus.signer(await bus.subscriber(), fields())
        const dying = mortal(calls, after)
        const input = await signed(ada, bob.agent)
        await busCaller(dying.table, { queues: dying.queues }).send(input)
        await recover()
        await expectOneEnd(ada, bob, input.messageId)
        expect([200, 409, 500]).toContain((await bus.send(input)).status)
        await recover()
        expect(await countOf(ada.agent.userId as string)).toBe(1)
        if (!dying.life.died) return
      }
    },
  )
})

it('a queue attempt that is killed at any of its calls is followed by the next', async () => {
  for (const after of [false, true])
    for (let calls = 0; ; calls++) {
      hook.answers({ status: 500 })
      hook.posted.length = 0
      const ada = await bus.signer(await bus.subscriber())
      const bob = await bus.signer(await bus.subscriber(), hooked())
      const input = await signed(ada, bob.agent)
      const alive = immortal()
      await busCaller(database.table, { queues: alive.queues }).send(input)
      const dying = mortal(calls, after)
      for (let tries = 0; tries < 3; tries++) {
        const [message] = waiting.splice(0)
        if (message !== undefined)
          await attemptBusDelivery(context(dying), message).catch(() => undefined)
      }
      await recover()
      await expectOneEnd(ada, bob, input.messageId)
      const { body } = await bus.inbox(bob.agent.id)
      expect(body.messages.map(({ message }) => message.messageId)).toEqual([input.messageId])
      if (!dying.life.died) break
    }
})

it('a tick that is killed at any of its calls leaves the message to a later one', async () => {
  hook.answers({ status: 500 })
  for (const after of [false, true])
    for (let calls = 0; ; calls++) {
      const [ada, bob] = await Promise.all([
        bus.signer(await bus.subscriber()),
        bus.signer(await bus.subscriber(), hooked()),
      ])
      await busCaller(database.table, { queues: immortal().queues }).send(
        await signed(ada, bob.agent),
      )
      waiting = []
      const dying = mortal(calls, after)
      await tickDeliveries(dying, Date.now() + 60_000).catch(() => undefined)
      waiting = []
      await recover()
      expect((await bus.inbox(bob.agent.id)).body.messages).toHaveLength(1)
      if (!dying.life.died) break
    }
})

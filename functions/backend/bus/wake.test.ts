import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readAgent } from '#shared/agents/record/find.ts'
import { attemptBusDelivery } from '#shared/network/bus/delivery/attempt.ts'
import type { DeliveryRef } from '#shared/network/bus/delivery/topic.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { type Bus, busCaller, signed, type Signer } from '#tests/support/network/bus.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'

const sent: { queue: string; message: unknown }[] = []
const queues: Queues = {
  send: async ({ queue }, message) => void sent.push({ queue, message }),
  sendAll: () => Promise.reject(new Error('nothing was to be sent')),
}
const config = loadConfig({ WALLET_ENCRYPTION_KEY: encryptionKey })

let database: TestTable
let bus: Bus
let ada: Signer

beforeAll(async () => {
  database = await startTestTable()
  bus = busCaller(database.table, { queues })
})
afterAll(() => database.close())
beforeEach(async () => {
  sent.length = 0
  ada = await bus.signer(await bus.subscriber())
})

const asleep = (config: Record<string, unknown>) =>
  ({ asleep: true, desired: 'stopped', status: 'stopped', config }) as const
const sleeper = async (config: Record<string, unknown>, account = {}) =>
  bus.signer(await bus.subscriber(account), asleep(config))
const now = async ({ agent: { id: agentId, userId } }: Signer) =>
  readAgent(database.table, { userId, agentId })

describe('a message to an agent that sleeps', () => {
  it('wakes it once if its config enables it, and waits in its inbox', async () => {
    const bob = await sleeper({ wakeOnMessage: true })
    for (let i = 0; i < 3; i++)
      expect((await bus.send(await signed(ada, bob.agent))).status).toBe(200)
    expect(await now(bob)).toMatchObject({ desired: 'running', waking: true, generation: 2 })
    expect(sent.map(({ queue }) => queue)).toEqual(['provisioning'])
    expect(await bus.inboxOf(bob)).toHaveLength(3)
  })

  it.each([{}, { wakeOnMessage: false }, { wakeOnMessage: null }])(
    'leaves it asleep with %j',
    async (given) => {
      const bob = await sleeper(given)
      expect((await bus.send(await signed(ada, bob.agent))).status).toBe(200)
      expect(await now(bob)).toMatchObject({ asleep: true, generation: 1 })
      expect(sent).toEqual([])
    },
  )

  it('leaves a stopped agent stopped', async () => {
    const bob = await bus.signer(await bus.subscriber(), {
      desired: 'stopped',
      status: 'stopped',
      config: { wakeOnMessage: true },
    })
    expect((await bus.send(await signed(ada, bob.agent))).status).toBe(200)
    expect(await now(bob)).toMatchObject({ desired: 'stopped', generation: 1 })
  })

  it('is retried for a while if the agent may not start', async () => {
    const bob = await sleeper({ wakeOnMessage: true }, { status: 'canceled' })
    expect((await bus.send(await signed(ada, bob.agent))).status).toBe(200)
    expect(await bus.inboxOf(bob)).toHaveLength(1)
    for (let tries = 0; tries < 3; tries++) {
      const { message } = sent.at(-1) as { message: DeliveryRef }
      const log = createLog({ function: 'test' })
      const guard = { deployed: false }
      await attemptBusDelivery({ table: database.table, queues, config, guard, log }, message)
    }
    expect(sent.map(({ queue }) => queue)).toEqual(Array(3).fill('bus-deliveries'))
    expect(await now(bob)).toMatchObject({ asleep: true })
    expect(await bus.inboxOf(bob)).toHaveLength(1)
  })
})

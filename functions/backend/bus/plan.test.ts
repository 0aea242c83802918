import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Bus, busCaller, signed, type Signer } from '#tests/support/network/bus.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'

let database: TestTable
let bus: Bus
let bob: Signer

beforeAll(async () => {
  database = await startTestTable()
  bus = busCaller(database.table)
})
afterAll(() => database.close())
beforeEach(async () => {
  bob = await bus.signer(await bus.subscriber())
})

describe('the plan', () => {
  it.each([
    ['has a cancelled plan', { status: 'canceled' }],
    ['has a plan past due', { status: 'past_due' }],
    ['has no plan', { plan: 'free' }],
  ])('a message of an owner that %s returns 402', async (_name, account) => {
    const poor = await bus.signer(await bus.subscriber(account))
    const { status, body } = await bus.send(await signed(poor, bob.agent))
    expect([status, body.code]).toEqual([402, 'SUBSCRIPTION_REQUIRED'])
    expect(await bus.inboxOf(bob)).toEqual([])
  })

  it('is not needed to receive, nor by administrators', async () => {
    const poor = await bus.signer(await bus.subscriber({ status: 'canceled' }))
    const ada = await bus.signer(await bus.subscriber())
    expect((await bus.send(await signed(ada, poor.agent))).status).toBe(200)
    const admin = await bus.subscriber({ plan: 'free', status: 'inactive', email: 'admin@b.co' })
    const rich = await bus.signer(admin)
    expect((await bus.send(await signed(rich, bob.agent))).status).toBe(200)
  })

  it('is missing if the owner has no account', async () => {
    const unknown = await bus.signer('someone-elsewhere')
    expect((await bus.send(await signed(unknown, bob.agent))).status).toBe(402)
  })

  it('limits an owner’s messages per day over all agents exactly, and a rejected message does not count', async () => {
    const owner = await bus.subscriber({ plan: 'label' })
    const date = new Date().toISOString().slice(0, 10)
    await database.table.put({ pk: `user#${owner}`, sk: `bus-count#${date}`, count: 95 })
    const senders = await Promise.all([bus.signer(owner), bus.signer(owner)])
    const many = await Promise.all(
      Array.from({ length: 12 }, (_, i) => signed(senders[i % 2] as Signer, bob.agent)),
    )
    const answers = await Promise.all(many.map((one) => bus.send(one)))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(7)
    for (const { status, body } of refused) {
      expect(status).toBe(429)
      expect(body).toMatchObject({ code: 'A2A_LIMIT_REACHED', current: 100, limit: 100 })
    }
    expect(await bus.inboxOf(bob)).toHaveLength(5)
    const again = await bus.send(many[answers.findIndex(({ status }) => status === 200)])
    expect(again.status).toBe(409)
  })
})

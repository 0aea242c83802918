import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pastMessages } from '#shared/network/bus/past.ts'
import { findApproval } from '#shared/permits/approvals/approval.ts'
import type { Rule } from '#shared/permits/policy/policy.ts'
import { testPolicy } from '#shared/permits/policy/replay.ts'
import {
  type Bus,
  busCaller,
  sign,
  signed,
  type Signer,
  message,
} from '#tests/support/network/bus.ts'
import { setPolicyOf } from '#tests/support/permits/policy.ts'
import { userContext } from '#tests/support/platform/context.ts'
import { recorded } from '#tests/support/platform/recorded-queues.ts'
import { recording } from '#tests/support/platform/recorded-table.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'

let database: TestTable
let bus: Bus
let userId: string
let ada: Signer
let bob: Signer

beforeAll(async () => {
  database = await startTestTable()
  bus = busCaller(database.table)
})
afterAll(() => database.close())
beforeEach(async () => {
  userId = await bus.subscriber()
  ada = await bus.signer(userId)
  bob = await bus.signer(await bus.subscriber())
})

const set = (rules: Rule[]) =>
  setPolicyOf(database.table, { userId, agentId: ada.agent.id }, { preset: 'open', rules })

describe('a message that the sender’s policy denies', () => {
  it('is answered with the rule, and neither stored nor counted', async () => {
    await set([
      { action: 'message.send', match: { to: bob.agent.id, action: 'PAY*' }, then: 'deny' },
    ])
    const sent = await signed(ada, bob.agent, { action: 'PAY_NOW' })
    expect(await bus.send(sent)).toEqual({
      status: 403,
      body: {
        error: expect.any(String),
        code: 'POLICY_DENIED',
        action: 'message.send',
        rule: 1,
      },
    })
    expect(await bus.inboxOf(bob)).toEqual([])
    const stored = await database.table.query({ pk: `user#${userId}`, beginsWith: 'bus-' })
    expect(stored.items).toEqual([])
    expect((await bus.send(await signed(ada, bob.agent))).status).toBe(200)
  })

  it('is only decided for its sender, after its signature', async () => {
    await set([{ action: 'message.send', then: 'deny' }])
    const forged = await sign(bob, message(ada, bob.agent))
    expect((await bus.send(forged)).status).toBe(401)
    expect((await bus.send(await signed(bob, ada.agent))).status).toBe(200)
  })
})

it('a message that the recipient sends again counts once', async () => {
  await set([
    { action: 'message.send', when: { perDay: 2 }, then: 'allow' },
    { action: 'message.send', then: 'deny' },
  ])
  const sent = await signed(ada, bob.agent)
  const statuses = []
  for (const one of [sent, sent, sent, await signed(ada, bob.agent), await signed(ada, bob.agent)])
    statuses.push((await bus.send(one)).status)
  expect(statuses).toEqual([200, 409, 409, 200, 403])
})

it('a message that needs an approval waits for it, in the session that the header names', async () => {
  await set([{ action: 'message.send', then: 'ask' }])
  const sent = await signed(ada, bob.agent)
  const call = { body: sent, headers: { 'x-session': 'a%20topic' } }
  const { status, body } = await bus.call('POST', '/send', call)
  expect([status, body]).toEqual([202, { state: 'pending', approvalId: expect.any(String) }])
  expect((await bus.call('POST', '/send', call)).body).toEqual(body)
  expect(await bus.inboxOf(bob)).toEqual([])
  const { approvalId } = body as unknown as { approvalId: string }
  expect(await findApproval({ table: database.table }, { userId, approvalId })).toMatchObject({
    action: 'message.send',
    target: { to: bob.agent.id, action: 'GREET' },
    session: 'a topic',
    summary: `Message GREET to the agent ${bob.agent.id}`,
    state: 'pending',
  })
})

it('a message that needs an approval requests the mail to its owner, and not from the tick', async () => {
  await set([{ action: 'message.send', then: 'ask' }])
  const { queues, waiting } = recorded()
  expect(
    (await busCaller(database.table, { queues }).send(await signed(ada, bob.agent))).status,
  ).toBe(202)
  expect(waiting).toEqual([{ userId, attempt: expect.any(Number) }])
})

it.each([undefined, '', '%zz', 'x'.repeat(201)])(
  'a message with the session header %j belongs to the session approvals',
  async (session) => {
    await set([{ action: 'message.send', then: 'ask' }])
    const headers = session === undefined ? {} : { 'x-session': session }
    const { body } = await bus.call('POST', '/send', {
      body: await signed(ada, bob.agent),
      headers,
    })
    const { approvalId } = body as unknown as { approvalId: string }
    const approval = await findApproval({ table: database.table }, { userId, approvalId })
    expect(approval?.session).toBe('approvals')
  },
)

it('the latest message to each agent of the same owner is replayed by a test of the policy', async () => {
  const own = await bus.signer(userId)
  for (const action of ['GREET', 'BYE']) await bus.send(await signed(ada, own.agent, { action }))
  await bus.send(await signed(ada, bob.agent))
  const { counts, records } = await testPolicy(await userContext(database.table, userId), {
    agentId: ada.agent.id,
    days: 1,
    rules: [{ action: 'message.send', match: { action: 'BYE' }, then: 'ask' }],
    records: [pastMessages],
  })
  expect(counts).toEqual({ allow: 0, ask: 1, deny: 0 })
  const target = { to: own.agent.id, action: 'BYE' }
  expect(records).toMatchObject([{ action: 'message.send', target, then: 'ask', rule: 1 }])
})

it('a message takes no further request to the table with the default policy', async () => {
  const { table, calls } = recording(database.table)
  const over = busCaller(table)
  const callsOf = async () => {
    calls.length = 0
    expect((await over.send(await signed(ada, bob.agent))).status).toBe(200)
    return [...calls]
  }
  await callsOf()
  const before = await callsOf()
  await set([{ action: 'exec', then: 'deny' }])
  expect(await callsOf()).toHaveLength(before.length + 2)
  await set([])
  expect(await callsOf()).toEqual(before)
})

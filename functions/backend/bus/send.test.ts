import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { agentKey } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import type { AgentMessage } from '#shared/money/agent-message/message.ts'
import { newWallet } from '#tests/support/accounts/new-wallet.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import {
  type Bus,
  busCaller,
  message,
  sign,
  signed,
  type Signer,
} from '#tests/support/network/bus.ts'
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

const minutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString()

/** Expects that a rejected message had no effect. */
async function expectUntouched() {
  expect(await bus.inboxOf(bob)).toEqual([])
  expect(await database.table.query({ pk: `user#${userId}`, beginsWith: 'bus-' })).toEqual({
    items: [],
  })
}

describe('a signed message', () => {
  it('is accepted and stored as sent, including unknown fields', async () => {
    const sent = await signed(ada, bob.agent, {
      payload: { text: 'h\u00e9llo \u{1F600}', amount: 1e21, list: [1.5, null, { __proto_: 1 }] },
      metadata: { replyTo: 'earlier', expiresAt: minutes(1), trace: 'x' },
      priority: 'high',
    })
    expect(await bus.send(sent)).toEqual({
      status: 200,
      body: { success: true, messageId: sent.messageId },
    })
    expect(await bus.inboxOf(bob)).toEqual([{ message: sent, receivedAt: expect.any(String) }])
  })

  it('keeps field names that JavaScript objects inherit', async () => {
    const unsigned = message(ada, bob.agent, {
      payload: JSON.parse('{"__proto__":{"a":1},"constructor":2,"toString":"x"}'),
    })
    const sent = await sign(ada, unsigned)
    expect((await bus.send(sent)).status).toBe(200)
    const [got] = await bus.inboxOf(bob)
    expect(JSON.stringify(got?.message.payload)).toBe(JSON.stringify(unsigned.payload))
  })

  it('accepts its address in any case, and a wallet that proved a name', async () => {
    const verification = { ...ada.agent.verification!, type: 'ens' as const }
    const named = await putAgent(database.table, userId, { verification })
    const sent = message({ ...ada, agent: named }, bob.agent)
    sent.from.walletAddress = sent.from.walletAddress.toLowerCase()
    expect((await bus.send(await sign(ada, sent))).status).toBe(200)
  })

  it('may be sent to oneself, and between agents of the platform', async () => {
    expect((await bus.send(await signed(ada, ada.agent))).status).toBe(200)
    const platform = await bus.signer(null)
    for (let i = 0; i < 3; i++)
      expect((await bus.send(await signed(platform, bob.agent))).status).toBe(200)
    expect(await bus.inboxOf(bob)).toHaveLength(3)
  })
})

describe('an invalid form returns 400 and names the field', () => {
  const cases: [string, (sent: AgentMessage) => unknown, RegExp][] = [
    ['no messageId', ({ messageId: _, ...rest }) => rest, /messageId/],
    ['an empty messageId', (sent) => ({ ...sent, messageId: '' }), /messageId/],
    ['a long messageId', (sent) => ({ ...sent, messageId: 'a'.repeat(129) }), /messageId/],
    ['a messageId of two lines', (sent) => ({ ...sent, messageId: 'a\nb' }), /messageId/],
    ['no timestamp', ({ timestamp: _, ...rest }) => rest, /timestamp/],
    ['a time without zone', (sent) => ({ ...sent, timestamp: '2026-01-01T00:00:00' }), /timestamp/],
    ['no from', ({ from: _, ...rest }) => rest, /from/],
    ['no wallet', (sent) => ({ ...sent, from: { agentId: 'a' } }), /from\.walletAddress/],
    [
      'a wrong checksum',
      (sent) => ({
        ...sent,
        from: { ...sent.from, walletAddress: '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
      }),
      /from\.walletAddress.*checksum/,
    ],
    ['no recipient', (sent) => ({ ...sent, to: {} }), /to\.agentId/],
    ['an action in small letters', (sent) => ({ ...sent, action: 'greet' }), /action/],
    ['an action that is too long', (sent) => ({ ...sent, action: 'A'.repeat(65) }), /action/],
    ['a payload that is a list', (sent) => ({ ...sent, payload: [] }), /payload/],
    ['no payload', ({ payload: _, ...rest }) => rest, /payload/],
    ['no signature', ({ signature: _, ...rest }) => rest, /signature/],
    ['metadata that is a text', (sent) => ({ ...sent, metadata: 'x' }), /metadata/],
    [
      'an end that is not a time',
      (sent) => ({ ...sent, metadata: { expiresAt: 'soon' } }),
      /metadata\.expiresAt/,
    ],
    ['half a character', (sent) => ({ ...sent, payload: { text: '\ud800' } }), /unpaired/],
    ['half a character in a name', (sent) => ({ ...sent, payload: { '\udc00': 1 } }), /unpaired/],
    ['too much', (sent) => ({ ...sent, payload: { text: 'a'.repeat(65_536) } }), /65536/],
  ]

  it.each(cases)('%s', async (_name, change, named) => {
    const sent = await signed(ada, bob.agent)
    const { status, body } = await bus.send(change(sent))
    expect(status).toBe(400)
    expect(body.error).toMatch(named)
    await expectUntouched()
  })

  it('a number outside of JavaScript’s range, and unlimited nesting', async () => {
    const sent = JSON.stringify(await signed(ada, bob.agent))
    for (const payload of ['{"n":1e400}', `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`]) {
      const text = sent.replace('{"text":"hello"}', payload)
      expect((await bus.call('POST', '/send', { text })).status).toBe(400)
    }
  })

  it('but the longest valid message is accepted', async () => {
    const room = 65_536 - JSON.stringify(await signed(ada, bob.agent)).length
    const sent = await signed(ada, bob.agent, { payload: { text: 'a'.repeat(5 + room) } })
    expect(JSON.stringify(sent)).toHaveLength(65_536)
    expect((await bus.send(sent)).status).toBe(200)
    const longer = await signed(ada, bob.agent, { payload: { text: 'a'.repeat(6 + room) } })
    expect((await bus.send(longer)).status).toBe(400)
  })
})

describe('an invalid signature returns 401', () => {
  const forged: [string, (sent: AgentMessage) => unknown][] = [
    ['another payload', (sent) => ({ ...sent, payload: { text: 'pay me' } })],
    ['another recipient', (sent) => ({ ...sent, to: { agentId: ada.agent.id } })],
    ['another messageId', (sent) => ({ ...sent, messageId: 'another' })],
    ['another action', (sent) => ({ ...sent, action: 'BOOKING_ACCEPT' })],
    ['a fresh time', (sent) => ({ ...sent, timestamp: minutes(1) })],
    ['a field more', (sent) => ({ ...sent, extra: 1 })],
    ['a field more within', (sent) => ({ ...sent, to: { ...sent.to, note: 1 } })],
    ['another sender', (sent) => ({ ...sent, from: { ...sent.from, agentId: bob.agent.id } })],
    ['no such sender', (sent) => ({ ...sent, from: { ...sent.from, agentId: 'agt_none' } })],
    [
      'another wallet',
      (sent) => ({ ...sent, from: { ...sent.from, walletAddress: bob.wallet.address } }),
    ],
    ['no signature', (sent) => ({ ...sent, signature: `0x${'0'.repeat(130)}` })],
    ['half of one', (sent) => ({ ...sent, signature: sent.signature.slice(0, 66) })],
    ['some text', (sent) => ({ ...sent, signature: 'signed, Ada' })],
  ]

  it.each(forged)('%s', async (_name, change) => {
    expect((await bus.send(change(await signed(ada, bob.agent)))).status).toBe(401)
    await expectUntouched()
  })

  it('the signature of a stranger who names their own wallet returns 401', async () => {
    const eve = { ...ada, wallet: newWallet() }
    expect((await bus.send(await signed(eve, bob.agent))).status).toBe(401)
  })

  it('the signature of an attester, who is not the agent, returns 401', async () => {
    const verification = { ...ada.agent.verification!, type: 'eas' as const }
    const agent = await putAgent(database.table, userId, { verification })
    expect((await bus.send(await signed({ ...ada, agent }, bob.agent))).status).toBe(401)
  })

  it('the signature of a wallet whose verification was removed returns 401', async () => {
    const sent = await signed(ada, bob.agent)
    await changeAgent(database, {
      agent: ada.agent,
      decide: (agent) => ({ ...agent, verification: undefined }),
    })
    expect((await bus.send(sent)).status).toBe(401)
  })

  it('the signature of an agent that is being deleted returns 401', async () => {
    const gone = await bus.signer(userId, { deleting: true })
    expect((await bus.send(await signed(gone, bob.agent))).status).toBe(401)
  })
})

describe('time', () => {
  it.each([-6, 6])('a message dated %i minutes from now returns 401', async (away) => {
    const sent = await signed(ada, bob.agent, { timestamp: minutes(away) })
    expect((await bus.send(sent)).status).toBe(401)
    await expectUntouched()
  })

  it.each([-4, 4])('a message dated %i minutes from now is accepted', async (away) => {
    const sent = await signed(ada, bob.agent, { timestamp: minutes(away) })
    expect((await bus.send(sent)).status).toBe(200)
  })

  it('may have an offset', async () => {
    const local = new Date(Date.now() + 7_200_000).toISOString().replace('Z', '+02:00')
    expect((await bus.send(await signed(ada, bob.agent, { timestamp: local }))).status).toBe(200)
  })

  it('a message is refused after its own expiry', async () => {
    const sent = await signed(ada, bob.agent, { metadata: { expiresAt: minutes(-1) } })
    expect((await bus.send(sent)).status).toBe(401)
    await expectUntouched()
  })
})

describe('a repeated message', () => {
  it('returns 409, also with another signature or metadata', async () => {
    const sent = await signed(ada, bob.agent)
    expect((await bus.send(sent)).status).toBe(200)
    expect((await bus.send(sent)).status).toBe(409)
    expect((await bus.send({ ...sent, metadata: { replyTo: 'x' } })).status).toBe(409)
    const again = await signed(ada, bob.agent, { messageId: sent.messageId, payload: { n: 2 } })
    expect((await bus.send(again)).status).toBe(409)
    expect(await bus.inboxOf(bob)).toHaveLength(1)
  })

  it('is accepted once, however many arrive concurrently', async () => {
    const sent = await signed(ada, bob.agent)
    const answers = await Promise.all(Array.from({ length: 12 }, () => bus.send(sent)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(409)])
    expect(await bus.inboxOf(bob)).toHaveLength(1)
  })

  it('a repeated message that was rejected before may use its messageId again', async () => {
    const sent = await signed(ada, 'agt_nobody')
    expect((await bus.send(sent)).status).toBe(404)
    const again = await signed(ada, bob.agent, { messageId: sent.messageId })
    expect((await bus.send(again)).status).toBe(200)
  })
})

describe('the recipient', () => {
  it('a missing recipient returns 404', async () => {
    for (const to of ['agt_nobody', `agt_${'0'.repeat(26)}`])
      expect((await bus.send(await signed(ada, to))).status).toBe(404)
    const gone = await putAgent(database.table, userId, { deleting: true })
    expect((await bus.send(await signed(ada, gone))).status).toBe(404)
    await expectUntouched()
  })
})

it('a second message between two agents needs one table request less, and still finds that the recipient was deleted', async () => {
  const { table, calls } = recording(database.table)
  const again = busCaller(table)
  const [one, other] = [await bus.signer(await bus.subscriber()), await bus.signer(null)]
  const reads = async (status: number) => {
    calls.length = 0
    expect((await again.send(await signed(one, other.agent))).status).toBe(status)
    return calls.filter((name) => name === 'getMany').length
  }
  expect([await reads(200), await reads(200)]).toEqual([2, 1])
  await database.table.delete(agentKey({ userId: null, agentId: other.agent.id }))
  await reads(404)
})

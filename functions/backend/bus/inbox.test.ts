import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { agentKey } from '#shared/agents/record/agent.ts'
import { messageRows } from '#shared/network/bus/rows.ts'
import {
  type Bus,
  type BusAnswer,
  busCaller,
  signed,
  type Signer,
} from '#tests/support/network/bus.ts'
import { before } from '#tests/support/platform/recorded-table.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'

let database: TestTable
let bus: Bus
let ada: Signer
let bob: Signer
let bobsOwner: string

beforeAll(async () => {
  database = await startTestTable()
  bus = busCaller(database.table)
})
afterAll(() => database.close())
beforeEach(async () => {
  ada = await bus.signer(await bus.subscriber())
  bobsOwner = await bus.subscriber()
  bob = await bus.signer(bobsOwner)
})

async function sendAll(count: number, to = bob): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const sent = await signed(ada, to.agent)
    expect((await bus.send(sent)).status).toBe(200)
    ids.push(sent.messageId)
  }
  return ids
}

const idsOf = ({ body }: { body: BusAnswer }) =>
  body.messages.map(({ message }) => message.messageId)

describe('an inbox', () => {
  it('returns the oldest first, a page at a time, and keeps messages that were read', async () => {
    const ids = await sendAll(5)
    const first = await bus.inbox(bob.agent.id, '&limit=2')
    expect(first.body.count).toBe(2)
    expect(idsOf(first)).toEqual(ids.slice(0, 2))
    expect(idsOf(await bus.inbox(bob.agent.id, `&limit=2&after=${ids[1]}`))).toEqual(
      ids.slice(2, 4),
    )
    expect(idsOf(await bus.inbox(bob.agent.id, `&after=${ids[4]}`))).toEqual([])
    expect(idsOf(await bus.inbox(bob.agent.id))).toEqual(ids)
  })

  it('returns every message to a reader that continues from its cursor, under concurrent sends', async () => {
    const others = await Promise.all(
      Array.from({ length: 4 }, async () => bus.signer(await bus.subscriber())),
    )
    const sent = await Promise.all(
      Array.from({ length: 24 }, (_, i) => signed(others[i % 4] as Signer, bob.agent)),
    )
    let sending = true
    const all = Promise.all(sent.map((one) => bus.send(one))).finally(() => {
      sending = false
    })
    const read: string[] = []
    const readOn = async () => {
      const after = read.at(-1)
      read.push(...idsOf(await bus.inbox(bob.agent.id, after && `&after=${after}`)))
    }
    while (sending) await readOn()
    for (const { status } of await all) expect(status).toBe(200)
    await readOn()
    expect([...read].sort()).toEqual(sent.map(({ messageId }) => messageId).sort())
  })

  it('starts at its beginning for an unknown cursor', async () => {
    const ids = await sendAll(2)
    const [elsewhere] = await sendAll(1, ada)
    for (const after of ['unknown', elsewhere])
      expect(idsOf(await bus.inbox(bob.agent.id, `&after=${after}`))).toEqual(ids)
  })

  it('an inbox of an agent that is deleted while a message is accepted stays empty, and the send returns 404', async () => {
    const { id: agentId, userId } = bob.agent
    const table = before(database.table, async (name) => {
      if (name === 'transact') await database.table.delete(agentKey({ userId, agentId }))
    })
    const input = await signed(ada, bob.agent)
    expect((await busCaller(table).send(input)).status).toBe(404)
    const { items } = await database.table.query({ pk: `user#${bobsOwner}`, beginsWith: 'inbox' })
    expect(items).toEqual([])
    expect(await database.table.get(messageRows.key(input))).toBeUndefined()
  })

  it('limits the size of its responses', async () => {
    for (let i = 0; i < 30; i++) {
      const sent = await signed(ada, bob.agent, { payload: { text: 'a'.repeat(60_000) } })
      expect((await bus.send(sent)).status).toBe(200)
    }
    const page = await bus.inbox(bob.agent.id, '&limit=100')
    expect(page.body.count).toBeGreaterThan(20)
    expect(page.body.count).toBeLessThan(30)
    const rest = await bus.inbox(bob.agent.id, `&limit=100&after=${idsOf(page).at(-1)}`)
    expect(page.body.count + rest.body.count).toBe(30)
  })

  it('returns messages of the last 30 days', async () => {
    const [old, fresh] = await sendAll(2)
    const { items } = await database.table.query({ pk: `user#${bobsOwner}`, beginsWith: 'inbox#' })
    const [first] = items
    expect(first?.expiresAt).toBeCloseTo(Date.now() / 1000 + 30 * 86_400, -2)
    await database.table.put({ ...first!, expiresAt: 1 })
    expect(idsOf(await bus.inbox(bob.agent.id, '&limit=1'))).toEqual([fresh])
    expect(idsOf(await bus.inbox(bob.agent.id, `&after=${old}`))).toEqual([fresh])
  })
})

describe('the reader of an inbox', () => {
  it('may be the agent itself by its key, without a name', async () => {
    const [id] = await sendAll(1)
    const key = await bus.agentKey(bob.agent)
    expect(idsOf(await bus.call('GET', '/inbox', { key }))).toEqual([id])
    expect(idsOf(await bus.inbox(bob.agent.id, '', key))).toEqual([id])
  })

  it('may be no other agent: 404, as for a missing one', async () => {
    await sendAll(1)
    const key = await bus.agentKey(ada.agent)
    const [other, none] = await Promise.all([
      bus.inbox(bob.agent.id, '', key),
      bus.inbox('agt_none', '', key),
    ])
    expect([other.status, none.status]).toEqual([404, 404])
    expect(other.body).toEqual(none.body)
  })

  it('may be a trusted caller who names the agent, and its owner if it acts for a user', async () => {
    const key = 'internal-key'
    expect((await bus.call('GET', '/inbox', { key })).status).toBe(400)
    expect((await bus.inbox('agt_none')).status).toBe(404)
    const as = (user: string) =>
      bus.call('GET', `/inbox?agentId=${bob.agent.id}`, { key, headers: { 'x-user-id': user } })
    expect((await as(bobsOwner)).status).toBe(200)
    expect((await as('usr_eve')).status).toBe(404)
  })

  it.each([[{}], [{ key: 'wrong' }], [{ key: `sk_${'0'.repeat(64)}` }], [{ key: 'ak_x' }]])(
    'may not be %j',
    async (given) => {
      const { status } = await bus.call('GET', `/inbox?agentId=${bob.agent.id}`, given)
      expect(status).toBe(401)
    },
  )

  it.each(['limit=x', 'limit=-1', `after=${'a'.repeat(129)}`])(
    'the reader of an inbox with %s gets 400',
    async (query) => {
      expect((await bus.inbox(bob.agent.id, `&${query}`)).status).toBe(400)
    },
  )

  it('gets at most 100, and an empty page for a limit of 0', async () => {
    await sendAll(1)
    expect((await bus.inbox(bob.agent.id, '&limit=1000')).body.count).toBe(1)
    expect((await bus.inbox(bob.agent.id, '&limit=0')).body).toEqual({ messages: [], count: 0 })
  })
})

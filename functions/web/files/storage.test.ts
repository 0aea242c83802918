import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { type FilesOwner, type FilesWorld, startFiles } from '#tests/support/agents/files.ts'
import { webhookEndpoints } from '#tests/support/tools/webhook-endpoints.ts'

let world: FilesWorld
let ada: FilesOwner

const gb = 1024 ** 3

beforeAll(async () => {
  world = await startFiles()
})
beforeEach(async () => {
  ada = await world.newOwner()
  world.mails.length = 0
})
afterAll(() => world.close())

const fullMails = () => new Set(world.mails.map(({ once }) => once)).size

describe('GET /api/storage', () => {
  it.each([
    ['label', 1],
    ['solo', 5],
    ['collective', 20],
    ['network', 100],
    ['free', 0],
  ])('the storage of the plan %s is %i GB', async (plan, size) => {
    await world.set(ada.id, { plan })
    expect(await ada.storage()).toEqual({
      usedBytes: 0,
      quotaBytes: size * gb,
      agents: [],
      measuredAt: null,
    })
  })

  it('adds the upgrade, which stays without a plan', async () => {
    await world.limitStorage(ada.id, 50 * gb)
    expect((await ada.storage()).quotaBytes).toBe(50 * gb)
    await world.set(ada.id, { plan: 'label' })
    expect((await ada.storage()).quotaBytes).toBe(51 * gb)
    await world.set(ada.id, { subscription: { id: null, status: 'canceled', customerId: null } })
    expect((await ada.storage()).quotaBytes).toBe(50 * gb)
  })

  it('has the bytes of each agent, after every change', async () => {
    const other = await putAgent(world.table, ada.id)
    await ada.put('a/one', 'x'.repeat(10))
    await ada.put('two', 'x'.repeat(5))
    const path = `/api/agents/${other.id}/files/content?path=three`
    const bytes = new TextEncoder().encode('xxx')
    const headers = { 'content-type': 'application/octet-stream' }
    await ada.ask('PUT', path, { bytes, headers })
    const storage = await ada.storage()
    expect(storage).toMatchObject({ usedBytes: 18, measuredAt: expect.any(String) })
    expect(storage.agents).toEqual(
      expect.arrayContaining([
        { agentId: ada.agentId, bytes: 15 },
        { agentId: other.id, bytes: 3 },
      ]),
    )
    await ada.put('two', 'x')
    await ada.delete('a', '&recursive=true')
    expect((await ada.storage()).usedBytes).toBe(4)
    await world.deleteAgent(ada.id, other.id)
    expect(await ada.storage()).toMatchObject({
      usedBytes: 1,
      agents: [{ agentId: ada.agentId, bytes: 1 }],
    })
  })
})

describe('a full storage', () => {
  beforeEach(() => world.limitStorage(ada.id, 100))

  it('refuses what exceeds it, to the byte, and counts what is replaced', async () => {
    expect((await ada.put('a', 'x'.repeat(101))).status).toBe(402)
    expect((await ada.put('a', 'x'.repeat(60))).status).toBe(200)
    expect((await ada.put('b', 'x'.repeat(41))).status).toBe(402)
    const refused = await ada.put('b', 'x'.repeat(41))
    expect(refused.body).toMatchObject({ code: 'STORAGE_LIMIT_REACHED', used: 60, quota: 100 })
    expect(refused.headers.get('x-should-retry')).toBe('false')
    expect((await ada.put('b', 'x'.repeat(40))).status).toBe(200)
    expect((await ada.put('a', 'x'.repeat(61))).status).toBe(402)
    expect((await ada.put('a', 'y'.repeat(60))).status).toBe(200)
  })

  it('allows reading, moving and deleting, and a deletion frees at once', async () => {
    await ada.put('a', 'x'.repeat(100))
    await world.limitStorage(ada.id, 10)
    expect((await ada.get('a')).status).toBe(200)
    expect((await ada.move('a', 'b')).status).toBe(200)
    expect((await ada.put('b', 'x'.repeat(50))).status).toBe(200)
    expect((await ada.put('c', '')).status).toBe(200)
    expect((await ada.put('c', 'x')).status).toBe(402)
    expect((await ada.delete('b')).status).toBe(200)
    expect((await ada.put('c', 'x'.repeat(10))).status).toBe(200)
  })

  it('lets exactly one of twenty uploads of 60 % pass, to one agent or to several', async () => {
    const other = await putAgent(world.table, ada.id)
    const paths = Array.from({ length: 20 }, (_, i) => {
      const agentId = i % 2 === 0 ? ada.agentId : other.id
      return `/api/agents/${agentId}/files/content?path=file-${i}`
    })
    const bytes = new TextEncoder().encode('x'.repeat(60))
    const headers = { 'content-type': 'application/octet-stream' }
    const answers = await Promise.all(paths.map((path) => ada.ask('PUT', path, { bytes, headers })))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 402)).toHaveLength(19)
    expect((await ada.storage()).usedBytes).toBe(60)
  })

  it('informs the owner once, and again after less than 90 % were used', async () => {
    const hooks = webhookEndpoints(world.table)
    const endpoint = await hooks.create(ada.session, 'https://example.com/', ['storage.full'])
    await ada.put('a', 'x'.repeat(90))
    expect(world.mails).toEqual([])
    await Promise.all([1, 2, 3].map(() => ada.put('b', 'x'.repeat(11))))
    await ada.put('b', 'x'.repeat(11))
    expect(fullMails()).toBe(1)
    const [delivery] = await hooks.deliveries(ada.session, endpoint.id)
    expect(delivery).toMatchObject({ type: 'storage.full' })
    await ada.put('c', 'x')
    await ada.put('b', 'x'.repeat(11))
    expect(fullMails()).toBe(1)
    await ada.delete('c')
    await ada.put('b', 'x'.repeat(11))
    expect(fullMails()).toBe(1)
    await ada.put('a', 'x'.repeat(89))
    await ada.put('b', 'x'.repeat(12))
    expect(fullMails()).toBe(2)
    expect(await hooks.deliveries(ada.session, endpoint.id)).toHaveLength(2)
  })

  it('informs the owner when it becomes exactly full', async () => {
    await ada.put('a', 'x'.repeat(100))
    expect(world.mails[0]).toMatchObject({ subject: 'The storage of your agents is full' })
  })
})

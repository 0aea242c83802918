import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeAgent } from '#shared/agents/record/change.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { removeBrokerRows } from '#shared/tools/broker/remove.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { agentWithKey, brokerOver } from '#tests/support/tools/broker.ts'

let accounts: Keys
let broker: ReturnType<typeof brokerOver>
let ada: { id: string; session: string }
let agentId: string
let users = 0

beforeAll(async () => {
  accounts = await startKeys()
  broker = brokerOver(accounts.table, { allowed: ['127.0.0.1:8443', 'localhost:9443'] })
})
afterAll(() => accounts.close())
beforeEach(async () => {
  ada = await accounts.signUp(`ada${users++}@b.co`)
  agentId = (await agentWithKey(accounts.table, ada.id)).agentId
})

const github = {
  name: 'github',
  hosts: ['api.github.com', 'uploads.github.com'],
  header: 'Authorization: Bearer {value}',
  value: 'ghp_a-value-of-hers',
}

const create = (body: unknown, session = ada.session) =>
  broker.call('POST', `${agentId}/broker-credentials`, { session, body })
const list = (session = ada.session) =>
  broker.call('GET', `${agentId}/broker-credentials`, { session })

describe('a broker credential', () => {
  it('is sealed, listed by name and hosts, replaced and deleted', async () => {
    const { status, body } = await create(github)
    expect([status, body]).toEqual([
      201,
      { name: 'github', hosts: github.hosts, createdAt: expect.any(String) },
    ])
    await create({ ...github, name: 'a.b', hosts: ['api.example.com:8443'] })
    await create({ ...github, hosts: ['api.github.com', 'api.github.com'], value: 'ghp_newer' })
    expect((await list()).body).toEqual({
      credentials: [
        { name: 'a.b', hosts: ['api.example.com:8443'], createdAt: expect.any(String) },
        { name: 'github', hosts: ['api.github.com'], createdAt: expect.any(String) },
      ],
    })
    const { items } = await userStore(accounts.table, ada.id).query({ beginsWith: 'broker-' })
    expect(JSON.stringify(items)).toContain('Bearer {value}')
    expect(JSON.stringify(items)).not.toMatch(/ghp_/)

    const gone = await broker.call('DELETE', `${agentId}/broker-credentials/github`, {
      session: ada.session,
    })
    expect(gone).toEqual({ status: 200, body: { success: true, name: 'github' } })
    const again = await broker.call('DELETE', `${agentId}/broker-credentials/github`, {
      session: ada.session,
    })
    expect(again.status).toBe(404)
    expect((await list()).body).toMatchObject({ credentials: [{ name: 'a.b' }] })
  })

  it.each<[field: string, wrong: unknown]>([
    ['name', 'a b'],
    ['name', ''],
    ['name', '.'],
    ['name', '..'],
    ['name', 'a/b'],
    ['name', 'x'.repeat(65)],
    ['name', undefined],
    ['hosts', []],
    ['hosts', undefined],
    ['hosts', 'api.github.com'],
    ['hosts', Array.from({ length: 11 }, (_, i) => `a${i}.example.com`)],
    ...[
      'API.github.com',
      'api.github.com:443',
      'api.github.com:0x50',
      'api.github.com:99999',
      'api.github.com/',
      'api.github.com/x',
      'https://api.github.com',
      'user@api.github.com',
      'api.github.com?x',
      'api.github.com#x',
      'api.github.com\r\nx: y',
      ' api.github.com',
      'api.github.com.',
      '*.github.com',
      '.github.com',
      'api..github.com',
      'github',
      'ünder.example.com',
      'localhost',
      'localhost:8443',
      'a.localhost',
      '127.0.0.1',
      '127.0.0.1:9443',
      '127.1',
      '0x7f.0.0.1',
      '2130706433',
      '10.0.0.1',
      '169.254.169.254',
      '8.8.8.8',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[2606:4700::1111]',
      '',
    ].map((host): [string, unknown] => ['hosts', ['api.github.com', host]]),
    ['header', undefined],
    ['header', 'authorization: Bearer'],
    ['header', 'authorization {value}'],
    ['header', ': {value}'],
    ['header', 'a b: {value}'],
    ['header', 'x-{value}: y'],
    ['header', 'x: {value}{value}'],
    ['header', 'x: {value}\r\ny: z'],
    ['header', 'x: é{value}'],
    ['header', `x: ${'y'.repeat(250)}{value}`],
    ...[
      'Host',
      'content-length',
      'Transfer-Encoding',
      'connection',
      'Keep-Alive',
      'TE',
      'trailer',
      'upgrade',
      'expect',
      'proxy-authorization',
    ].map((name): [string, unknown] => ['header', `${name}: {value}`]),
    ['value', ''],
    ['value', undefined],
    ['value', 'a\r\nb: c'],
    ['value', 'a\0b'],
    ['value', 'a\n'],
    ['value', ' a'],
    ['value', 'é'],
    ['value', 'x'.repeat(4097)],
  ])('is rejected for %s %j', async (field, wrong) => {
    const { status, body } = await create({ ...github, [field]: wrong })
    expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
    expect(JSON.stringify(body)).not.toContain(github.value)
    expect((await list()).body).toEqual({ credentials: [] })
  })

  it.each([
    'a.example.com',
    'xn--nder-0ra.example.com',
    'a_b.example.com',
    'api.example.com:8443',
    '127.0.0.1:8443',
    'localhost:9443',
  ])('is stored for %s', async (host) => {
    expect((await create({ ...github, hosts: [host] })).status).toBe(201)
  })

  it('is limited to twenty per agent, and in total size', async () => {
    const names = Array.from({ length: 24 }, (_, i) => `n${i}`)
    const made = await Promise.all(names.map((name) => create({ ...github, name })))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(20)
    const refused = made.filter(({ status }) => status !== 201)
    expect(refused.map(({ body }) => [body.code, body.limit])).toEqual(
      Array.from({ length: 4 }, () => ['BROKER_CREDENTIALS_FULL', 20]),
    )
    const kept = made.findIndex(({ status }) => status === 201)
    // Replacing an existing credential does not count toward the limit.
    expect((await create({ ...github, name: names[kept] })).status).toBe(201)
    const { agentId: other } = await agentWithKey(accounts.table, ada.id)
    const long = { ...github, value: 'x'.repeat(4096) }
    const statuses = []
    for (const name of ['a', 'b', 'c', 'd']) {
      const body = { ...long, name }
      const path = `${other}/broker-credentials`
      const answer = await broker.call('POST', path, { session: ada.session, body })
      statuses.push([answer.status, answer.body.limit])
    }
    expect(statuses).toEqual([
      [201, undefined],
      [201, undefined],
      [201, undefined],
      [400, 16_384],
    ])
  })

  it('belongs only to its owner, and requires a key that may write', async () => {
    await create(github)
    const eve = await accounts.signUp(`eve${users++}@b.co`)
    const path = `${agentId}/broker-credentials`
    for (const [method, below, body] of [
      ['POST', '', github],
      ['GET', '', undefined],
      ['DELETE', '/github', undefined],
    ] as const)
      expect((await broker.call(method, path + below, { session: eve.session, body })).status).toBe(
        404,
      )
    expect(
      (await broker.call('GET', `${agentId}/broker-requests`, { session: eve.session })).status,
    ).toBe(404)
    expect((await broker.call('GET', path)).status).toBe(401)

    const { key } = await accounts.newKey(ada.session, 'reader', { scopes: ['read'] })
    const refused = await broker.call('POST', path, { key, body: github })
    expect([refused.status, refused.body.code]).toEqual([403, 'SCOPE_REQUIRED'])
    expect((await broker.call('DELETE', `${path}/github`, { key })).status).toBe(403)
    expect((await broker.call('GET', path, { key })).status).toBe(200)
    const writer = await accounts.newKey(ada.session, 'writer', { scopes: ['write'] })
    expect((await broker.call('DELETE', `${path}/github`, { key: writer.key })).status).toBe(200)
  })

  it('is deleted with its agent, and rejected while the agent is being deleted', async () => {
    await create(github)
    const { table } = accounts
    const store = userStore(table, ada.id)
    const agent = (await readAgent(table, { userId: ada.id, agentId }))!
    await changeAgent({ table } as never, {
      agent,
      decide: (current) => ({ ...current, deleting: true }),
    })
    expect((await create({ ...github, name: 'later' })).status).toBe(404)
    expect(await removeBrokerRows({ table, store, agentId, deadline: Date.now() + 60_000 })).toBe(
      true,
    )
    expect((await store.query({ beginsWith: 'broker-' })).items).toEqual([])
  })

  it.each(['0', '-1', 'x', '1.5'])('rejects the limit %s for its requests', async (limit) => {
    const path = `${agentId}/broker-requests?limit=${limit}`
    expect((await broker.call('GET', path, { session: ada.session })).status).toBe(400)
  })
})

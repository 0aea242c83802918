import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { webhookEventTypes } from '#shared/signals/outbound-webhooks/types.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { webhookEndpoints } from '#tests/support/tools/webhook-endpoints.ts'
import type { NewWebhookEndpoint } from '../../../clients/typescript/index.ts'
import * as group from '../webhook-endpoints.ts'

let accounts: Accounts
let hooks: ReturnType<typeof webhookEndpoints>
let ada: { id: string; session: string }
let eve: { id: string; session: string }

const url = 'https://example.com/hook'
const events: NewWebhookEndpoint['events'] = ['key.created', 'agent.crashed']

beforeAll(async () => {
  accounts = await startAccounts()
  ada = await accounts.signUp('ada@b.co')
  eve = await accounts.signUp('eve@b.co')
  hooks = webhookEndpoints(accounts.table)
})
afterAll(() => accounts.close())

describe('an endpoint', () => {
  it('returns its secret once, and is listed only for its user', async () => {
    const { session } = ada
    const { status, body } = await hooks.ask('POST', '', { session, body: { url, events } })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^whe_/),
      url,
      events,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
    const listed = await hooks.ask('GET', '', { session })
    const createdAt = expect.any(String)
    expect(listed.body).toEqual({
      endpoints: [{ id: body.id, url, events, createdAt, disabledAt: null }],
    })
    expect((await hooks.ask('GET', '', eve)).body).toEqual({ endpoints: [] })
    const rows = await accounts.table.query({ pk: `user#${ada.id}` })
    expect(JSON.stringify(rows)).not.toContain(String(body.secret))
    expect((await hooks.ask('DELETE', `/${String(body.id)}`, ada)).body).toEqual({
      success: true,
      id: body.id,
    })
    expect((await hooks.ask('DELETE', `/${String(body.id)}`, ada)).status).toBe(404)
  })

  it.each([
    [{ events }, 'url'],
    [{ url: 'ftp://example.com/', events }, 'url'],
    [{ url: 'http://example.com/', events }, 'url'],
    [{ url: 'https://user:password@example.com/', events }, 'url'],
    [{ url: `https://example.com/${'x'.repeat(2048)}`, events }, 'url'],
    [{ url, events: [] }, 'events'],
    [{ url, events: ['agent.flew'] }, 'events'],
    [{ url, events: 'ping' }, 'events'],
    [{ url }, 'events'],
  ])('returns 400 for %j', async (body, field) => {
    const answer = await hooks.ask('POST', '', { session: eve.session, body })
    expect(answer.status).toBe(400)
    expect(JSON.stringify(answer.body)).toContain(field)
    expect((await hooks.ask('GET', '', eve)).body).toEqual({ endpoints: [] })
  })

  it.each([
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://10.0.0.8/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:169.254.169.254]/',
    'https://0x7f.1/',
    'https://2130706433/',
    'http://localhost:8080/',
  ])('an endpoint at %s is rejected if the platform is deployed', async (address) => {
    const deployed = webhookEndpoints(accounts.table, { deployed: true })
    const body = { url: address, events }
    const answer = await deployed.ask('POST', '', { session: eve.session, body })
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'url must be a public https address' },
    })
  })

  it('is one of ten at most, under concurrent requests', async () => {
    const { session } = await accounts.signUp('ten@b.co')
    const body = { url, events: [...webhookEventTypes] }
    const answers = await Promise.all(
      Array.from({ length: 13 }, () => hooks.ask('POST', '', { session, body })),
    )
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused).toHaveLength(3)
    for (const answer of refused)
      expect(answer).toMatchObject({
        status: 409,
        body: { code: 'WEBHOOK_ENDPOINT_LIMIT_REACHED', current: 10, limit: 10 },
      })
    const endpoints = await platformOver(hooks.call, { session }).webhookEndpoints.list()
    expect(endpoints).toHaveLength(10)
    const [{ id = '' } = {}] = endpoints
    const deleted = await Promise.all(
      Array.from({ length: 3 }, () => hooks.ask('DELETE', `/${id}`, { session })),
    )
    expect(deleted.map(({ status }) => status).toSorted()).toEqual([200, 404, 404])
    expect((await hooks.ask('POST', '', { session, body })).status).toBe(201)
    expect((await hooks.ask('POST', '', { session, body })).status).toBe(409)
  })

  it('returns 503 without the key that seals secrets', async () => {
    const call = callerOf(group, { ...hooks.ctx, encryptionKey: undefined })
    const { session } = ada
    const answer = await call('POST', '/api/webhook-endpoints', { session, body: { url, events } })
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ missing: ['WALLET_ENCRYPTION_KEY'] })
  })
})

describe('of another user', () => {
  it('no endpoint is listed, pinged or deleted, nor without a sign-in', async () => {
    const { id } = await hooks.create(ada.session, url, events)
    const { body } = await hooks.ask('POST', `/${id}/test`, ada)
    const routes = [
      ['DELETE', `/${id}`],
      ['POST', `/${id}/test`],
      ['GET', `/${id}/deliveries`],
      ['POST', `/${id}/deliveries/${String(body.id)}/redeliver`],
    ] as const
    for (const [method, path] of routes) {
      expect((await hooks.ask(method, path, eve)).status).toBe(404)
      expect((await hooks.ask(method, path)).status).toBe(401)
      expect((await hooks.ask(method, path, { key: 'sk_wrong' })).status).toBe(401)
    }
    expect((await hooks.ask('GET', '')).status).toBe(401)
    expect((await hooks.ask('POST', '', { body: { url, events } })).status).toBe(401)
    const missing = `/${id}/deliveries/whd_none/redeliver`
    expect((await hooks.ask('POST', missing, ada)).status).toBe(404)
    expect(await hooks.deliveries(ada.session, id)).toHaveLength(1)
  })
})

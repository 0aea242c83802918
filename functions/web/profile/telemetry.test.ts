import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { endAccess } from '#shared/accounts/users/end-sessions.ts'
import type { GuardOptions, Resolve } from '#shared/platform/http-client/guarded.ts'
import { createLog } from '#shared/platform/log.ts'
import { sealer } from '#shared/platform/seal.ts'
import { newTraceId, type Span, spanOf } from '#shared/signals/spans/span.ts'
import { deliverSpans, maxTries, openCollectors } from '#shared/tools/telemetry/deliver.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { actionsOf } from '#tests/support/accounts/audit.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { eventContext } from '#tests/support/platform/context.ts'
import { before } from '#tests/support/platform/recorded-table.ts'
import { asCollectorReads } from '#tests/support/tools/otlp.ts'
import { startWebhook, type Webhook } from '#tests/support/tools/webhook-receiver.ts'

const seals = sealer(encryptionKey)
const path = '/api/settings/telemetry'
const secret = 'Bearer a-secret-of-the-collector'
let accounts: Accounts
let collector: Webhook
let origin: string
let ada: { id: string; session: string }
let users = 0

beforeAll(async () => {
  accounts = await startAccounts({ sealer: seals })
})
afterAll(() => accounts.close())
beforeEach(async () => {
  collector = await startWebhook()
  origin = new URL(collector.url).origin
  ada = await accounts.signUp(`traced${users++}@b.co`)
  return () => collector.close()
})

async function ask(method: string, to = path, body?: unknown, { session } = ada) {
  const answer = await accounts.call(method, to, { session, ...(body !== undefined && { body }) })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const set = (body: object) => ask('PUT', path, body)
const headers = { authorization: secret }

const span = (attributes = {}) =>
  spanOf('chat', { traceId: newTraceId(), of: 'm', start: 1.5, end: 2_000, attributes })

const log = createLog({ function: 't' })
const collectorsOf = (guard: GuardOptions = { deployed: false }) =>
  openCollectors({ table: accounts.table, guard, sealer: seals })

const deliver = (receives = 1, spans = [span()], guard?: GuardOptions) =>
  deliverSpans({ collectors: collectorsOf(guard), log, receives }, { userId: ada.id, spans })

/** The spans of each request to the collector. */
const requests = () =>
  collector.posted.map(({ text }) => {
    expect(asCollectorReads(text)).toEqual(JSON.parse(text))
    const { resourceSpans } = JSON.parse(text) as {
      resourceSpans: { scopeSpans: { spans: { spanId: string }[] }[] }[]
    }
    return resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans.map(({ spanId }) => spanId)),
    )
  })

describe('the settings', () => {
  it('return only the names of headers, and only to the caller', async () => {
    const shown = { otlpUrl: origin, headers: ['authorization'], content: true }
    expect(await set({ otlpUrl: origin, headers, content: true })).toEqual({
      status: 200,
      body: shown,
    })
    expect((await ask('GET')).body).toEqual(shown)
    const none = { otlpUrl: null, headers: [], content: false }
    const eve = await accounts.signUp(`traced${users++}@b.co`)
    expect((await ask('GET', path, undefined, eve)).body).toEqual(none)
    const row = await accounts.table.get({ pk: `user#${ada.id}`, sk: 'profile' })
    expect(JSON.stringify(row)).not.toContain(secret)
    expect((await set({ otlpUrl: null })).body).toEqual(none)
    expect((await ask('GET')).body).toEqual(none)
    await deliver()
    expect(collector.posted).toEqual([])
  })

  it.each([
    { otlpUrl: 'http://example.com' },
    { otlpUrl: 'ftp://example.com' },
    { otlpUrl: 'https://user:pass@example.com' },
    { otlpUrl: 'https://example.com', headers: { 'a b': 'c' } },
    { otlpUrl: 'https://example.com', headers: { a: 'b\r\nc: d' } },
    { otlpUrl: 'https://example.com', headers: { Host: 'b' } },
    {},
  ])('reject %j with 400', async (body) => {
    expect((await set(body)).status).toBe(400)
  })

  it('require a sign-in, and a test a destination', async () => {
    for (const [method, to] of [
      ['GET', path],
      ['POST', `${path}/test`],
    ] as const)
      expect((await ask(method, to, undefined, { id: '', session: 'no.one' })).status).toBe(401)
    expect((await ask('POST', `${path}/test`)).status).toBe(409)
  })

  it('return the collector’s response to a test', async () => {
    await set({ otlpUrl: origin, headers })
    expect((await ask('POST', `${path}/test`)).body).toEqual({ ok: true, status: 200 })
    expect(collector.posted).toMatchObject([
      { path: '/v1/traces', headers: { ...headers, 'content-type': 'application/json' } },
    ])
    collector.answers({ status: 302, headers: { location: collector.url } })
    expect((await ask('POST', `${path}/test`)).body).toEqual({ ok: false, status: 302 })
    await set({ otlpUrl: 'http://127.0.0.1:1' })
    expect((await ask('POST', `${path}/test`)).body).toEqual({ ok: false, status: null })
  })
})

describe('spans', () => {
  it('are OTLP’s JSON', async () => {
    await set({ otlpUrl: `${origin}/own/path` })
    const sent = span({ text: 'a\ud800', whole: 3, part: 0.5, yes: true, cost: { double: 1 } })
    await deliver(1, [sent])
    expect(collector.posted).toMatchObject([{ path: '/own/path' }])
    const text = collector.posted.map((post) => post.text).join('')
    const schema = expect.stringMatching(/^https:\/\/opentelemetry\.io\/schemas\/\d+\.\d+\.\d+$/)
    const service = { key: 'service.name', value: { stringValue: expect.any(String) } }
    const spans = [
      {
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
        name: 'chat m',
        kind: 3,
        startTimeUnixNano: '1500000',
        endTimeUnixNano: '2000000000',
        attributes: [
          { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
          { key: 'text', value: { stringValue: 'a\ufffd' } },
          { key: 'whole', value: { intValue: '3' } },
          { key: 'part', value: { doubleValue: 0.5 } },
          { key: 'yes', value: { boolValue: true } },
          { key: 'cost', value: { doubleValue: 1 } },
        ],
        status: { code: 0 },
      },
    ]
    expect(asCollectorReads(text)).toEqual(JSON.parse(text))
    expect(JSON.parse(text)).toEqual({
      resourceSpans: [
        {
          resource: { attributes: [service] },
          scopeSpans: [{ scope: { name: expect.any(String) }, spans, schemaUrl: schema }],
          schemaUrl: schema,
        },
      ],
    })
  })

  it.each([429, 502, 503, 504])(
    'are retried after %i, and dropped after three attempts',
    async (status) => {
      await set({ otlpUrl: origin })
      collector.answers({ status, headers: { 'retry-after': '7' } })
      for (let receives = 1; receives < maxTries; receives++)
        await expect(deliver(receives)).rejects.toMatchObject({ name: 'RetryAfter', seconds: 7 })
      await deliver(maxTries)
      expect(collector.posted).toHaveLength(maxTries)
    },
  )

  it.each([301, 400, 401, 413, 500])('are dropped at once after %i', async (status) => {
    await set({ otlpUrl: origin })
    collector.answers({ status, headers: { location: collector.url } })
    await deliver()
    expect(collector.posted).toHaveLength(1)
  })

  it.each([
    ['as an address', 'https://127.0.0.1', undefined],
    ['through a DNS name', 'https://collector.example', '10.0.0.7'],
  ])('go to no private address, and are not retried: %s', async (_, otlpUrl, address) => {
    await set({ otlpUrl })
    const resolve: Resolve = (_name, _options, callback) =>
      callback(null, [{ address: String(address), family: 4 }])
    await deliver(1, [span()], { deployed: true, resolve })
    expect(collector.posted).toEqual([])
  })

  it('spans of one user are sent together, apart from another user’s', async () => {
    const eve = await accounts.signUp(`traced${users++}@b.co`)
    await set({ otlpUrl: origin })
    await ask('PUT', path, { otlpUrl: `${origin}/eve` }, eve)
    const collectors = collectorsOf()
    const send = (userId: string, spans: Span[]) =>
      deliverSpans({ collectors, log, receives: 1 }, { userId, spans })
    const [first, second, third, hers] = [span(), span(), span(), span()]
    await Promise.all([send(ada.id, [first, second]), send(eve.id, [hers]), send(ada.id, [third])])
    expect(requests().sort((a, b) => b.length - a.length)).toEqual([
      [first.spanId, second.spanId, third.spanId],
      [hers.spanId],
    ])
    expect(collector.posted.map(({ path: to }) => to).sort()).toEqual(['/eve', '/v1/traces'])
  })

  it('are at most 512 a request; after a failed request the rest is not sent', async () => {
    await set({ otlpUrl: origin })
    const collectors = collectorsOf()
    const works = Array.from({ length: 6 }, () => Array.from({ length: 100 }, () => span()))
    const sendAll = () =>
      Promise.allSettled(
        works.map((spans) =>
          deliverSpans({ collectors, log, receives: 1 }, { userId: ada.id, spans }),
        ),
      )
    await sendAll()
    expect(requests().map((spans) => spans.length)).toEqual([500, 100])
    collector.posted.length = 0
    collector.answers({ status: 503 })
    const outcomes = await sendAll()
    expect(collector.posted).toHaveLength(1)
    expect(outcomes.map(({ status }) => status)).toEqual(works.map(() => 'rejected'))
  })
})

describe('telemetry settings', () => {
  let keys: Keys
  beforeAll(async () => {
    keys = await startKeys({ sealer: seals })
  })
  afterAll(() => keys.close())

  it('require a sign-in or an admin key, and each change is recorded in the audit', async () => {
    const eve = await keys.signUp(`traced${users++}@b.co`)
    const put = async (body: object, by: { session: string } | { key: string }) => {
      const input = 'key' in by ? { headers: { authorization: `Bearer ${by.key}` } } : by
      const answer = await keys.accounts('PUT', path, { body, ...input })
      return { status: answer.status, body: await answer.json() }
    }
    const keyOf = async (scopes?: string[]) => {
      const { key } = await keys.newKey(eve.session, 'k', { ...(scopes && { scopes }) })
      return { key }
    }
    const [usual, admin] = [await keyOf(), await keyOf(['read', 'write', 'admin'])]
    const actions = await actionsOf(keys.table, eve.id, async () => {
      expect(await put({ otlpUrl: origin }, usual)).toMatchObject({
        status: 403,
        body: { code: 'SCOPE_REQUIRED', scope: 'admin' },
      })
      expect((await put({ otlpUrl: null }, eve)).status).toBe(200)
      expect((await put({ otlpUrl: origin }, admin)).status).toBe(200)
      expect((await put({ otlpUrl: null }, eve)).status).toBe(200)
    })
    expect(actions).toEqual(['provider.linked', 'provider.linked'])
  })

  it('are rejected if the caller’s access ended during the request', async () => {
    const eve = await keys.signUp(`traced${users++}@b.co`)
    let ended = false
    const table = before(keys.table, async (name) => {
      if (name !== 'transact' || ended) return
      ended = true
      await endAccess(eventContext(keys.table), { userId: eve.id })
    })
    const late = await startAccounts({ sealer: seals, table })
    const options = { session: eve.session, body: { otlpUrl: origin } }
    expect((await late.call('PUT', path, options)).status).toBe(401)
    expect(ended).toBe(true)
    const row = await keys.table.get({ pk: `user#${eve.id}`, sk: 'profile' })
    expect(row).not.toHaveProperty('telemetry')
    await late.close()
  })
})

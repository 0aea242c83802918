import { Webhook as StandardWebhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { commit } from '#shared/platform/table/commit.ts'
import { webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import { attemptWebhookDelivery } from '#shared/tools/webhook-endpoints/delivery/attempt.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { webhookEndpoints } from '#tests/support/tools/webhook-endpoints.ts'
import { startWebhook, type Webhook } from '#tests/support/tools/webhook-receiver.ts'
import type { CreatedWebhookEndpoint } from '../../../clients/typescript/index.ts'

let accounts: Keys
let hooks: ReturnType<typeof webhookEndpoints>
let hook: Webhook
let ada: { id: string; session: string }
let endpoint: CreatedWebhookEndpoint
let users = 0

beforeAll(async () => {
  accounts = await startKeys()
})
afterAll(() => accounts.close())
beforeEach(async () => {
  hook = await startWebhook()
  hooks = webhookEndpoints(accounts.table)
  ada = await accounts.signUp(`ada${users++}@b.co`)
  endpoint = await hooks.create(ada.session, hook.url, ['key.created', 'key.deleted'])
  return () => hook.close()
})

const only = async () => {
  const [delivery, ...more] = await hooks.deliveries(ada.session, endpoint.id)
  expect(more).toEqual([])
  return delivery!
}

describe('an event', () => {
  it('is sent in the format of Standard Webhooks to the endpoints with its type', async () => {
    const other = await hooks.create(ada.session, hook.url, ['split.failed'])
    const key = await accounts.newKey(ada.session, 'laptop')
    await hooks.run(Date.now() + 1000)
    const [post, ...more] = hook.posted
    expect(more).toEqual([])
    const body = new StandardWebhook(endpoint.secret).verify(post!.text, post!.headers as never)
    const { key: _raw, ...shown } = key
    const delivery = await only()
    expect(body).toEqual({
      id: delivery.messageId,
      type: 'key.created',
      createdAt: delivery.createdAt,
      data: shown,
    })
    expect(post!.headers).toMatchObject({
      'webhook-id': delivery.messageId,
      'content-type': 'application/json',
    })
    expect(post!.text).not.toContain(key.key)
    expect(delivery).toEqual({
      id: expect.stringMatching(/^whd_/),
      messageId: expect.stringMatching(/^evt_/),
      type: 'key.created',
      createdAt: expect.any(String),
      status: 'delivered',
      attempts: 1,
      responseStatus: 200,
      nextAttemptAt: null,
    })
    expect(await hooks.deliveries(ada.session, other.id)).toEqual([])
  })

  it('is created only by a committed change', async () => {
    await Promise.all([
      accounts.call('POST', '/api/keys', { session: ada.session, body: { name: '' } }),
      accounts.call('DELETE', '/api/keys/key_none', { session: ada.session }),
    ])
    const { id } = await accounts.newKey(ada.session)
    const path = `/api/keys/${id}`
    await Promise.all([1, 2, 3].map(() => accounts.call('DELETE', path, { session: ada.session })))
    await hooks.run(Date.now() + 1000)
    const types = (await hooks.deliveries(ada.session, endpoint.id)).map(({ type }) => type)
    expect(types).toEqual(['key.deleted', 'key.created'])
  })

  it('is enqueued at once, and by the tick if the queue rejects it', async () => {
    const events = [{ type: 'key.created', data: {} }] as const
    const put = (sk: string) => ({ put: { pk: `user#${ada.id}`, sk } })
    await commit(accounts.table, {
      a: put('a'),
      ...(await webhookParts(hooks.ctx, ada.id, events)),
    })
    await hooks.runSent()
    expect(hook.posted).toHaveLength(1)
    const down = { ...hooks.ctx.queues, sendAll: () => Promise.reject(new Error('down')) }
    const without = { ...hooks.ctx, queues: down }
    await commit(accounts.table, { b: put('b'), ...(await webhookParts(without, ada.id, events)) })
    expect(await accounts.table.get({ pk: `user#${ada.id}`, sk: 'b' })).toBeDefined()
    await hooks.runSent()
    expect(hook.posted).toHaveLength(1)
    await hooks.run(Date.now() + 1000)
    expect(hook.posted).toHaveLength(2)
  })

  it('an event of a rejected transaction is not sent', async () => {
    const parts = await webhookParts(hooks.ctx, ada.id, [{ type: 'key.created', data: {} }])
    expect(Object.keys(parts)).toHaveLength(1)
    const check = { check: { pk: 'none', sk: 'none' }, if: 'attribute_exists(pk)' }
    await expect(commit(accounts.table, { check, ...parts })).rejects.toThrow('refused')
    expect(hooks.sent).toEqual([])
    expect(await hooks.deliveries(ada.session, endpoint.id)).toEqual([])
  })

  it('costs a user without endpoints one read, and nothing is stored', async () => {
    const eve = await accounts.signUp(`eve${users++}@b.co`)
    expect(await webhookParts(hooks.ctx, eve.id, [{ type: 'ping', data: {} }])).toEqual({})
    await accounts.newKey(eve.session)
    const { items } = await accounts.table.query({
      pk: `user#${eve.id}`,
      beginsWith: 'webhook',
    })
    expect(items).toEqual([])
  })
})

describe('a delivery that fails', () => {
  it('is attempted eight times in a day under one id, with a new signature each time', async () => {
    hook.answers({ status: 500 })
    await accounts.newKey(ada.session)
    const waits: number[] = []
    let now = Date.now() + 1000
    for (let attempt = 1; attempt <= 8; attempt++) {
      await hooks.run(now)
      const delivery = await only()
      expect(delivery).toMatchObject({ attempts: attempt, responseStatus: 500 })
      if (delivery.nextAttemptAt === null) break
      const next = Date.parse(delivery.nextAttemptAt)
      waits.push((next - now) / 1000)
      hooks.sent.length = 0
      // The queue can lose delayed messages; the tick finds them a little later.
      now = next + 31_000
    }
    expect(waits.slice(0, 2)).toEqual([5, 55])
    const planned = [240, 1500, 5400, 21_600, 57_600]
    expect(waits).toHaveLength(2 + planned.length)
    planned.forEach((seconds, i) => {
      expect(waits[i + 2]).toBeGreaterThanOrEqual(seconds)
      expect(waits[i + 2]).toBeLessThanOrEqual(seconds * 1.1)
    })
    expect(await only()).toMatchObject({ status: 'failed', attempts: 8, nextAttemptAt: null })
    await hooks.run(now + 10 * 86_400_000)
    expect(hook.posted).toHaveLength(8)
    expect(new Set(hook.posted.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(hook.posted.map(({ text }) => text)).size).toBe(1)
  })

  it('schedules its next attempt by a delayed message, which counts once under redelivery', async () => {
    hook.answers({ status: 503 })
    await accounts.newKey(ada.session)
    await hooks.run(Date.now() + 1000)
    const [next] = hooks.sent
    expect(next?.delaySeconds).toBe(5)
    hook.answers({ status: 204 })
    await Promise.all([1, 2, 3].map(() => attemptWebhookDelivery(hooks.ctx, next!.message)))
    expect(hook.posted).toHaveLength(2)
    expect(await only()).toMatchObject({ status: 'delivered', attempts: 2, responseStatus: 204 })
  })

  it.each([
    ['seconds', '900', 900],
    ['seconds below the schedule', '1', 5],
    ['a date', () => new Date(Date.now() + 1_800_000).toUTCString(), 1800],
    ['a date in the past', 'Thu, 01 Jan 2026 00:00:00 GMT', 5],
    ['more than a day', '999999', 86_400],
    ['an invalid value', 'soon', 5],
  ])('waits as long as Retry-After requests: %s', async (_what, given, seconds) => {
    const request = typeof given === 'string' ? given : given()
    hook.answers({ status: 429, headers: { 'retry-after': request } })
    await accounts.newKey(ada.session)
    const now = Date.now() + 1000
    await hooks.run(now)
    const { nextAttemptAt, status } = await only()
    expect(status).toBe('pending')
    const waits = (Date.parse(nextAttemptAt!) - now) / 1000
    // An HTTP date has no fraction of a second.
    expect(waits).toBeGreaterThanOrEqual(seconds - 2)
    expect(waits).toBeLessThanOrEqual(seconds)
    // The queue delays short waits; the tick handles long ones.
    expect(hooks.sent.map(({ delaySeconds }) => delaySeconds)).toEqual(waits > 900 ? [] : [waits])
  })

  it('a redirect fails the delivery, and is not followed', async () => {
    hook.answers({ status: 307, headers: { location: `${hook.url}/elsewhere` } })
    await accounts.newKey(ada.session)
    await hooks.run(Date.now() + 1000)
    expect(hook.posted.map(({ path }) => path)).toEqual(['/hook'])
    expect(await only()).toMatchObject({ status: 'pending', responseStatus: 307 })
  })

  it.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', 'fd00::1'])(
    'because its name also resolves to %s connects to nothing',
    async (address) => {
      const looked: string[] = []
      const deployed = webhookEndpoints(accounts.table, {
        deployed: true,
        resolve: (name, _options, callback) => {
          looked.push(name)
          callback(null, [
            { address: '93.184.215.14', family: 4 },
            { address, family: address.includes(':') ? 6 : 4 },
          ])
        },
      })
      const { port } = new URL(hook.url)
      const { id } = await deployed.create(ada.session, `https://rebinding.example:${port}/hook`, [
        'key.created',
      ])
      await hooks.ask('DELETE', `/${endpoint.id}`, ada)
      await accounts.newKey(ada.session)
      await deployed.run(Date.now() + 1000)
      expect(looked).toEqual(['rebinding.example'])
      expect(hook.posted).toEqual([])
      expect(await deployed.deliveries(ada.session, id)).toMatchObject([
        { status: 'pending', attempts: 1, responseStatus: null },
      ])
    },
  )
})

describe('on request', () => {
  it('a ping is sent to an endpoint at once, for any subscribed types', async () => {
    const { status, body } = await hooks.ask('POST', `/${endpoint.id}/test`, ada)
    expect(status).toBe(202)
    expect(body).toMatchObject({ type: 'ping', status: 'pending', attempts: 0 })
    for (const { message } of hooks.sent.splice(0)) await attemptWebhookDelivery(hooks.ctx, message)
    expect(JSON.parse(hook.posted[0]!.text)).toMatchObject({
      type: 'ping',
      data: { endpointId: endpoint.id },
    })
    expect(await only()).toMatchObject({ id: body.id, status: 'delivered' })
  })

  it('an event is sent again under its id, as a new delivery', async () => {
    await accounts.newKey(ada.session)
    await hooks.run(Date.now() + 1000)
    const first = await only()
    const path = `/${endpoint.id}/deliveries/${first.id}/redeliver`
    const { status, body } = await hooks.ask('POST', path, ada)
    expect(status).toBe(202)
    expect(body).toMatchObject({ messageId: first.messageId, status: 'pending' })
    expect(body.id).not.toBe(first.id)
    await hooks.run(Date.now() + 1000)
    expect(hook.posted[1]!.text).toBe(hook.posted[0]!.text)
    expect(await hooks.deliveries(ada.session, endpoint.id)).toMatchObject([
      { id: body.id, status: 'delivered' },
      { id: first.id, status: 'delivered' },
    ])
  })
})

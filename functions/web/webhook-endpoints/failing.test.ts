import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { attemptWebhookDelivery } from '#shared/tools/webhook-endpoints/delivery/attempt.ts'
import { tickWebhooks } from '#shared/tools/webhook-endpoints/delivery/tick.ts'
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

describe('an endpoint that fails', () => {
  const day = 86_400_000
  /** A time when events created now are due. */
  const soon = () => Date.now() + 60_000
  /** The emails about it, deduplicated like the mail queue does. */
  const told = () => {
    const own = hooks.mails.filter(({ text }) => text.includes(endpoint.id))
    return [...new Map(own.map((mail) => [mail.once, mail])).values()]
  }

  it('an endpoint that fails for three days is disabled, and its user is notified once', async () => {
    hook.answers({ status: 500 })
    const start = soon()
    for (const days of [0, 2.9]) {
      await accounts.newKey(ada.session)
      await hooks.run(start + days * day)
    }
    expect((await hooks.ask('GET', '', ada)).body).toMatchObject({
      endpoints: [{ disabledAt: null }],
    })
    await hooks.run(start + 3.1 * day)
    const disabledAt = new Date(start + 3.1 * day).toISOString()
    expect((await hooks.ask('GET', '', ada)).body).toMatchObject({ endpoints: [{ disabledAt }] })
    await hooks.run(start + 3.2 * day)
    expect(told()).toMatchObject([{ subject: 'A webhook endpoint was disabled' }])
    const posted = hook.posted.length
    await accounts.newKey(ada.session)
    await hooks.run(start + 5 * day)
    expect(hook.posted).toHaveLength(posted)
    const states = (await hooks.deliveries(ada.session, endpoint.id)).map(({ status }) => status)
    expect(new Set(states)).toEqual(new Set(['failed']))
    expect((await hooks.ask('POST', `/${endpoint.id}/test`, ada)).status).toBe(409)
  })

  it('an endpoint that answers 410 Gone is disabled at once, and its user is notified once', async () => {
    hook.answers({ status: 410 })
    await accounts.newKey(ada.session)
    await accounts.newKey(ada.session)
    await hooks.run(soon())
    await hooks.run(soon() + day)
    expect(hook.posted).toHaveLength(1)
    expect((await hooks.ask('GET', '', ada)).body).toMatchObject({
      endpoints: [{ disabledAt: expect.any(String) }],
    })
    const states = (await hooks.deliveries(ada.session, endpoint.id)).map(({ status }) => status)
    expect(states).toEqual(['failed', 'failed'])
    expect(told()).toMatchObject([{ text: expect.stringContaining('410 Gone') }])
  })

  it('is reported even if the process is killed before the mail', async () => {
    hook.answers({ status: 500 })
    const start = soon()
    await accounts.newKey(ada.session)
    await hooks.run(start)
    const dying = { ...hooks.ctx, mailer: { send: () => Promise.reject(new Error('killed')) } }
    await tickWebhooks(hooks.ctx, start + 4 * day)
    for (const { message } of hooks.sent.splice(0))
      await attemptWebhookDelivery(dying, message, start + 4 * day).catch(() => undefined)
    expect(told()).toEqual([])
    await hooks.run(start + 4 * day + 600_000)
    expect(told()).toHaveLength(1)
    await hooks.run(start + 5 * day)
    expect(told()).toHaveLength(1)
  })

  it('starts over after one successful delivery', async () => {
    const start = soon()
    hook.answers({ status: 500 })
    await accounts.newKey(ada.session)
    await hooks.run(start)
    hook.answers({ status: 200 })
    await hooks.run(start + 2 * day)
    hook.answers({ status: 500 })
    await accounts.newKey(ada.session)
    await hooks.run(start + 4 * day)
    expect((await hooks.ask('GET', '', ada)).body).toMatchObject({
      endpoints: [{ disabledAt: null }],
    })
    expect(told()).toEqual([])
  })
})

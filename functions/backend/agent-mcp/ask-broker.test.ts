import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { brokerTarget } from '#shared/tools/broker/target.ts'
import { startWebhook, type Webhook } from '#tests/support/tools/webhook-receiver.ts'
import { askBroker } from './ask-broker.ts'

/** A stand-in for the backend. */
let backend: Webhook

beforeAll(async () => {
  backend = await startWebhook()
})
afterAll(() => backend.close())
beforeEach(() => {
  backend.posted.length = 0
})

const use = (given: { service?: string; host?: string; path?: string }) =>
  askBroker({
    backendUrl: new URL(backend.url).origin,
    authorization: 'Bearer ak_hers',
    session: 'a%20topic',
    signal: AbortSignal.timeout(30_000),
  }).use({
    method: 'POST',
    service: 'shop',
    host: 'api.example.com',
    path: '/',
    headers: { 'x-session': 'another' },
    body: '{}',
    ...given,
  })

const sign = '/underground/bus/sign'

it.each([
  { service: '..', host: 'api', path: sign },
  { service: '.', host: 'api', path: sign },
  { service: '%2e%2e', host: 'api', path: sign },
  { service: '%2E.', host: 'api', path: sign },
  { service: '..%2f..', host: 'api', path: sign },
  { service: '..\\..', host: 'api', path: sign },
  { service: 'shop/..', host: 'api', path: sign },
  { host: '..', path: `/api${sign}` },
  { host: '%2e%2e', path: `/api${sign}` },
  { host: '%2E%2e', path: `/../api${sign}` },
  { host: '..\\..', path: `/api${sign}` },
  { host: '../..', path: `/api${sign}` },
  { host: 'a b', path: sign },
  { host: 'a\r\nx: y', path: sign },
])('an agent key is rejected on all other routes of the backend: %j', async (given) => {
  await expect(use(given)).rejects.toMatchObject({
    kind: expect.stringMatching(/^(?:bad-request|forbidden|not-found)$/),
  })
  expect(backend.posted).toEqual([])
})

it('an agent calls the broker by name and host of a credential', async () => {
  expect(
    (await use({ service: 'a..b', host: 'api.example.com:8443', path: '/x?y=%2e' })).status,
  ).toBe(200)
  expect(backend.posted).toMatchObject([
    {
      path: '/broker/a..b/api.example.com:8443/x?y=%2e',
      headers: { authorization: 'Bearer ak_hers', 'x-session': 'a%20topic' },
    },
  ])
})

it('an agent buys at a host, and its key reaches no other route', async () => {
  const pay = (host: string, path: string) =>
    askBroker({
      backendUrl: new URL(backend.url).origin,
      authorization: 'Bearer ak_hers',
      session: null,
      signal: AbortSignal.timeout(30_000),
    }).pay({ method: 'GET', host, path, headers: {}, body: undefined })
  for (const host of ['..', '%2e%2e', 'a/..', 'a b', 'A.example'])
    await expect(pay(host, '/x')).rejects.toMatchObject({
      kind: expect.stringMatching(/^(?:bad-request|not-found)$/),
    })
  await expect(pay('a.example', '/../broker')).rejects.toMatchObject({ kind: 'bad-request' })
  expect(backend.posted).toEqual([])
  expect(await pay('a.example', '/x?y=1')).toMatchObject({ status: 200, paymentId: null })
})

it.each(['..', '%2e%2e', '%2E.'])('the broker rejects %s as name or host', (step) => {
  expect(() => brokerTarget(`/broker/${step}/api${sign}`)).toThrow('not found')
  expect(() => brokerTarget(`/broker/shop/${step}/api${sign}`)).toThrow(
    'exactly as in the credential',
  )
})

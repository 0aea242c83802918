import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { loadConfig } from '#shared/platform/config/load.ts'
import { startDemo } from '#tests/support/ai/demo.ts'
import { eventsOf } from '#tests/support/ai/gateway.ts'
import {
  fails,
  says,
  sendJson,
  startUpstream,
  type Upstream,
  usage,
} from '#tests/support/ai/upstream.ts'
import { eventually } from '#tests/support/clock/eventually.ts'
import { fromMidMonth, ownTimeouts, passTime } from '#tests/support/clock/time.ts'
import { onWorkerd } from '#tests/support/http/carrier.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { wire } from '../demo.ts'

fromMidMonth()

const first = 'xiaomi/mimo-v2-pro'
const origin = { requestId: 'req_demo', askedBy: 'public' }
const noResponse = { status: 500, body: { error: 'Failed to get response' } }

let database: TestTable
let upstream: Upstream
let demo: ReturnType<typeof startDemo>

beforeEach(async () => {
  database = await startTestTable()
  upstream = await startUpstream()
  demo = startDemo(database.table, { AI_BASE_URL: upstream.baseUrl })
})
afterEach(async () => {
  await upstream.close()
  await database.close()
})
describe('the demo rejects', () => {
  it.each([
    {},
    { message: '' },
    { message: '  \n' },
    { message: 5 },
    { message: null },
    { text: 'Hi' },
  ])('the demo rejects a request like %j, without a message', async (body) => {
    expect(await demo.chat(body)).toMatchObject({
      status: 400,
      body: { error: 'Message required' },
    })
    expect(upstream.asked).toEqual([])
  })

  it.each(['gpt-4o', 'openai/gpt-4o-mini', 'local/echo', '', 'constructor', 5, null])(
    'the demo rejects the model %j, which is not in the list',
    async (model) => {
      const { status, body } = await demo.chat({ message: 'Hi', model })
      expect(status).toBe(400)
      expect(body).toEqual({
        error: expect.stringMatching(/^model must be one of (?:xiaomi\/|the models)/),
      })
      expect(upstream.asked).toEqual([])
    },
  )

  it.each([
    { conversation: 'hi' },
    { conversation: [{ role: 'user' }] },
    { conversation: [{ role: 'user', content: [{ type: 'image_url' }] }] },
    { conversation: [null] },
    { mode: 5 },
  ])('the demo rejects %j', async (more) => {
    const { status, body } = await demo.chat({ message: 'Hi', ...more })
    expect(status).toBe(400)
    expect(body.error).toContain(Object.keys(more)[0])
    expect(upstream.asked).toEqual([])
  })

  it('the demo rejects all requests once the month’s cap is spent, under concurrent requests', async () => {
    upstream.serve(first, says('Yes.', usage(5, 1024)))
    const capUsd = 0.004
    const capped = startDemo(database.table, { AI_BASE_URL: upstream.baseUrl, capUsd })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => capped.chat({ message: 'Hi' }, { ip: `192.0.2.${i}` })),
    )
    const served = answers.filter(({ status }) => status === 200)
    expect(served.length).toBeGreaterThan(0)
    expect(upstream.asked).toHaveLength(served.length)
    const refused = answers.filter((each) => !served.includes(each))
    expect(refused.length).toBeGreaterThan(0)
    for (const each of refused)
      expect(each).toMatchObject({
        status: 503,
        body: {
          error: 'Demo unavailable — it is used up for this month.',
          code: 'SPEND_CAP_REACHED',
        },
      })
    const spent = await eventually(async () => {
      const events = await eventsOf(database.table, 'demo')
      expect(events).toHaveLength(served.length)
      return events.map(({ costUsd }) => Number(costUsd))
    })
    // One call's answer can exceed the cap, as with all caps.
    expect(spent.slice(1).reduce((sum, each) => sum + each, 0)).toBeLessThan(capUsd)
  })

  it.each([
    [true, undefined, 20],
    [true, 3, 3],
    [true, 0, 0],
    [false, undefined, null],
    [false, 3, 3],
  ])(
    'the demo rejects deployed %s with DEMO_SPEND_CAP_USD %s: a cap above %s dollars',
    (deployed, set, capUsd) => {
      const config = { ...loadConfig({ DEMO_SPEND_CAP_USD: set?.toString() }), deployed }
      const { services } = wire(config)
      expect(typeof services === 'function' && services(origin)).toMatchObject({ capUsd })
    },
  )

  it('the demo rejects the sixty-first request of one address in a minute, and of no other address', async () => {
    upstream.serve(first, says('Yes.', usage(1, 1)))
    let passed = 0
    let refused = await demo.chat({})
    for (; refused.status === 400; refused = await demo.chat({})) passed++
    // A new minute, with a new count, can begin in between.
    expect(passed).toBeGreaterThanOrEqual(60)
    expect(passed).toBeLessThan(120)
    expect(refused).toMatchObject({ status: 429, body: { error: 'Too many requests' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await demo.chat({ message: 'Hi' }, { ip: '198.51.100.7' })).status).toBe(200)
  })

  it('the demo rejects all requests if no provider is configured', async () => {
    const unconfigured = startDemo(database.table, {})
    const refusal = {
      status: 503,
      body: {
        error: 'Demo unavailable — service not configured.',
        missing: ['AI_BASE_URL', 'AI_API_KEY'],
      },
    }
    expect(await unconfigured.chat({ message: 'Hi' })).toMatchObject(refusal)
    expect(await unconfigured.get()).toMatchObject(refusal)
  })
})

describe('a failed model', () => {
  const all = (behaviour: ReturnType<typeof fails>) => {
    const fast = ['meta-llama/llama-3.3-70b-instruct', 'mistralai/mistral-7b-instruct']
    for (const model of [first, ...fast, 'google/gemini-2.0-flash-001'])
      upstream.serve(model, behaviour)
  }

  it.each([
    ['with an error', fails(500)],
    ['that rejects the request', fails(400, 'bad words')],
    ['without text', says(null as unknown as string, usage(1, 1))],
    [
      'with an empty answer',
      ((response) => sendJson(response, 200, {})) as ReturnType<typeof fails>,
    ],
  ])('%s returns 500 without details', async (_, behaviour) => {
    all(behaviour)
    const { status, body } = await demo.chat({ message: 'Hi' })
    expect({ status, body }).toEqual(noResponse)
  })

  it('a failed model that does not respond is abandoned after the timeout of an attempt', async () => {
    ownTimeouts()
    all((response) => passTime(() => !response.destroyed, 10))
    demo = startDemo(database.table, { AI_BASE_URL: upstream.baseUrl, timeoutMs: 1000 })
    expect(await demo.chat({ message: 'Hi' })).toMatchObject(noResponse)
    expect(upstream.asked).toHaveLength(4)
  })

  it.skipIf(onWorkerd)(
    'a second failed model is abandoned after the timeout of the request',
    async () => {
      const within = new AbortController()
      const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(within.signal)
      onTestFinished(() => timeout.mockRestore())
      all(() => within.abort(new DOMException('The time is over', 'TimeoutError')))
      demo = startDemo(database.table, { AI_BASE_URL: upstream.baseUrl, withinMs: 200 })
      const { status, body } = await demo.chat({ message: 'Hi' })
      expect({ status, body }).toEqual(noResponse)
      expect(timeout.mock.calls).toEqual([[200]])
      expect(upstream.asked).toHaveLength(1)
      await upstream.asked[0]?.abandoned
    },
  )

  it('leaves no record', async () => {
    all(fails(500))
    await demo.chat({ message: 'Hi' })
    expect(await eventsOf(database.table, 'demo')).toEqual([])
  })
})

import { beforeEach, describe, expect, it } from 'vitest'
import { eventsOf, hello, quotaOf, useGateway, startGateway } from '#tests/support/ai/gateway.ts'
import { type Behaviour, fails, says, usage, startUpstream } from '#tests/support/ai/upstream.ts'
import { ownTimeouts, passTime } from '#tests/support/clock/time.ts'

const model = 'anthropic/claude-3.5-sonnet'
const fast = [
  'meta-llama/llama-3.3-70b-instruct',
  'mistralai/mistral-7b-instruct',
  'google/gemini-2.0-flash-001',
]

const on = useGateway({ timeoutMs: 1000 })
let user: string
let users = 0

beforeEach(() => {
  ownTimeouts()
  user = `usr_fallback${users++}`
})

function chat(body: object, headers: Record<string, string> = {}) {
  return on.gateway.chat({ ...hello, ...body }, { headers: { 'x-user-id': user, ...headers } })
}

const raw =
  (body: string, type = 'application/json'): Behaviour =>
  (response) =>
    void response.writeHead(200, { 'content-type': type }).end(body)

/** A hundredth of the gateway's timeout. */
const stepMs = 10

const silence: Behaviour = (response) => passTime(() => !response.destroyed, stepMs)

const flood: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(1_048_576)));
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}

const deep = '['.repeat(100_000) + ']'.repeat(100_000)
const lists = (count: number) => `[${'[],'.repeat(count)}[]]`
const nested = (message: string) => `{"choices":[{"index":0,"message":${message}}]}`

describe('fallback', () => {
  it.each<[string, Behaviour, number | null]>([
    ['401', fails(401), 401],
    ['402', fails(402), 402],
    ['403', fails(403), 403],
    ['404', fails(404), 404],
    ['408', fails(408), 408],
    ['429 with Retry-After', fails(429, 'slow down', { 'retry-after': '60' }), 429],
    ['500', fails(500), 500],
    ['503 in HTML', (response) => void response.writeHead(503).end('<html>'), 503],
    ['a redirect', (response) => void response.writeHead(302, { location: '/' }).end(), 302],
    ['silence', silence, null],
    ['an endless body', flood, null],
    ['an interrupted connection', (response) => void response.destroy(), null],
    ['malformed JSON', raw('{"choices":['), null],
    ['a deeply nested answer', raw(nested(`{"role":"assistant","x":${deep}}`)), null],
    ['an answer with too many elements', raw(nested(`{"x":${lists(4_000_000)}}`)), null],
    ['deeply nested tool calls', raw(nested(`{"role":"assistant","tool_calls":${deep}}`)), null],
    ['an empty body', raw(''), null],
    ['JSON without a completion', raw('{"choices":[]}'), 200],
    ['JSON null', raw('null'), 200],
    ['an error with status 200', raw('{"error":{"message":"overloaded","code":529}}'), 529],
  ])('tries the next model after %s', async (_, behaviour, status) => {
    on.upstream.serve(model, behaviour)
    const [first = ''] = fast
    on.upstream.serve(first, says('instead', usage(2, 2)))
    const answer = await chat({ model })
    expect(await answer.json()).toMatchObject({ model: first, usage: usage(2, 2) })
    expect(on.upstream.asked.map((asked) => asked.model)).toEqual([model, first])
    expect(await eventsOf(on.table, user)).toEqual([expect.objectContaining({ model: first })])

    on.upstream.serve(first, fails(500))
    const failed = await chat({ model })
    expect(failed.status).toBe(502)
    const attempts = [
      { model, status, ms: expect.any(Number) },
      { model: first, status: 500, ms: expect.any(Number) },
      { model: fast[1], status: 404, ms: expect.any(Number) },
      { model: fast[2], status: 404, ms: expect.any(Number) },
    ]
    expect(await failed.json()).toMatchObject({
      error: { code: 'AI_UNAVAILABLE', type: 'api_error', attempts },
    })
    expect(await eventsOf(on.table, user)).toHaveLength(1)
    expect(await quotaOf(on.table, user)).toMatchObject({ used: 4, committed: 4 })
  })

  it('tries the other models of the vendor first, and only models of the plan', async () => {
    await chat({ model: 'openai/gpt-4o-mini' })
    expect(on.upstream.asked.map((asked) => asked.model)).toEqual([
      'openai/gpt-4o-mini',
      'openai/gpt-4o',
      ...fast,
    ])
    on.upstream.asked.length = 0
    await chat({ model: 'openai/gpt-4o-mini' }, { 'x-user-plan': 'label' })
    expect(on.upstream.asked.map((asked) => asked.model)).toEqual(['openai/gpt-4o-mini', ...fast])
  })

  it.each([{}, { model: 'auto' }, { model: null }])(
    'serves %j from the fast tier',
    async (body) => {
      const [, second = ''] = fast
      on.upstream.serve(second, says('hi', usage(1, 1)))
      expect(await (await chat(body)).json()).toMatchObject({ model: second })
      expect(on.upstream.asked.map((asked) => asked.model)).toEqual(fast.slice(0, 2))
    },
  )

  it('skips a provider that is not configured', async () => {
    on.gateway = startGateway(on.table, { AI_BASE_URL: 'http://127.0.0.1:1/v1' })
    const answer = await chat({ model })
    expect(answer.status).toBe(502)
    expect(await answer.json()).toMatchObject({
      error: { attempts: [{ model, status: null }, {}, {}, {}] },
    })
  })

  /** A caller that disconnects when the model has received the request. After that, the model behaves as given. */
  async function leaving(behaviour: Behaviour) {
    const requested = Promise.withResolvers<void>()
    const gone = new AbortController()
    on.upstream.serve(model, async (response, question) => {
      gone.abort()
      requested.resolve()
      await behaviour(response, question)
    })
    const headers = { 'x-user-id': user }
    const answer = on.gateway.chat({ ...hello, model }, { headers, signal: gone.signal })
    await requested.promise
    await answer
  }

  it('reads a model to its end after its caller has disconnected, and settles the usage', async () => {
    await leaving(says('all of it', usage(900, 700)))
    const [event, ...more] = await eventsOf(on.table, user)
    expect(more).toEqual([])
    expect(event).toMatchObject({ model, inputTokens: 900, outputTokens: 700, estimated: false })
    expect(await quotaOf(on.table, user)).toMatchObject({ used: 1600, committed: 1600 })
  })

  it.each<[string, Behaviour]>([
    ['fails', fails(500)],
    ['does not respond', silence],
  ])('asks no further model for a disconnected caller if a model %s', async (_, behaviour) => {
    await leaving(behaviour)
    expect(on.upstream.asked).toHaveLength(1)
    expect(await eventsOf(on.table, user)).toEqual([])
    expect(await quotaOf(on.table, user)).toMatchObject({ committed: 0 })
  })

  it('retries a request whose idle connection was closed', async () => {
    on.upstream.serve(model, says('hi', usage(1, 1)))
    expect((await chat({ model })).status).toBe(200)
    let resets = 0
    on.upstream.serve(model, (response, asked) => {
      if (resets++ === 0) return void response.socket?.resetAndDestroy()
      return says('again', usage(1, 1))(response, asked)
    })
    expect(await (await chat({ model })).json()).toMatchObject({ model })
    expect(resets).toBe(2)
  })
})

describe('providers', () => {
  it('serves a named provider’s models under its name, from that provider', async () => {
    const other = await startUpstream()
    other.list([{ id: 'big', created: 5 }])
    other.serve('big', says('from other', usage(1, 1)))
    const AI_PROVIDERS = JSON.stringify({ acme: { baseUrl: `${other.baseUrl}/`, apiKey: 'k2' } })
    on.gateway = startGateway(on.table, { AI_BASE_URL: on.upstream.baseUrl, AI_PROVIDERS })
    const headers = { 'x-user-plan': 'network', 'x-user-id': user }
    const answer = await on.gateway.chat({ ...hello, model: 'acme/big' }, { headers })
    expect(await answer.json()).toMatchObject({ model: 'acme/big' })
    expect(other.asked[0]?.authorization).toBe('Bearer k2')
    expect(await eventsOf(on.table, user)).toEqual([
      expect.objectContaining({ provider: 'acme', model: 'acme/big', costUsd: null }),
    ])
    expect(on.upstream.asked).toEqual([])
    await other.close()
  })

  it('uses the stand-in for everything on one machine if no other provider is configured', async () => {
    const standIn = await startUpstream()
    standIn.serve('echo', says('echo', usage(1, 1)))
    on.gateway = startGateway(on.table, { STAND_IN_PROVIDER_URL: standIn.baseUrl })
    for (const body of [{}, { model: 'local/echo' }, { model: 'openai/gpt-4o-mini' }]) {
      const answer = await chat(body, { 'x-user-plan': 'label' })
      expect(await answer.json()).toMatchObject({ model: 'local/echo' })
    }
    const listed = await on.gateway.models({ headers: { 'x-user-plan': 'label' } })
    expect(await listed.json()).toMatchObject({ data: [{}, {}, {}, { id: 'local/echo' }] })
    await standIn.close()
  })

  it.each([
    ['{', 'not JSON'],
    ['[]', 'AI_PROVIDERS'],
    ['{"router":{"baseUrl":"http://x"}}', 'AI_PROVIDERS'],
    ['{"a":{"baseUrl":"ftp://x"}}', 'AI_PROVIDERS'],
    ['{"A b":{"baseUrl":"http://x"}}', 'AI_PROVIDERS'],
    ['{"a":{"baseUrl":"http://x","apiKey":7}}', 'AI_PROVIDERS'],
  ])('rejects AI_PROVIDERS %s at startup', (AI_PROVIDERS, message) => {
    expect(() => startGateway(on.table, { AI_PROVIDERS })).toThrow(message)
  })

  it('takes the cost from the provider, then its list, then the price file', async () => {
    const listed = 'acme/listed'
    on.upstream.list([
      { id: listed, pricing: { prompt: '0.000001', completion: '0.000002' } },
      { id: 'acme/vague', pricing: { prompt: '-1', completion: '-1' } },
    ])
    const cost = async (id: string, used: object) => {
      on.upstream.serve(id, says('x', used))
      user = `usr_fallback${users++}`
      await (await chat({ model: id }, { 'x-user-plan': 'network' })).text()
      return (await eventsOf(on.table, user))[0]?.costUsd
    }
    expect(await cost(listed, usage(1000, 500, { cost: 0.5 }))).toBe(0.5)
    expect(await cost(listed, usage(1000, 500))).toBe(0.002)
    expect(await cost('openai/gpt-4o-mini', usage(1000, 500))).toBe(0.00045)
    expect(await cost('acme/vague', usage(1000, 500))).toBeNull()
  })
})

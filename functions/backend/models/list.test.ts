import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testModelSets } from '#tests/support/ai/model-sets.ts'
import { startModels } from '#tests/support/ai/models.ts'
import { startUpstream, type Upstream } from '#tests/support/ai/upstream.ts'
import { eventually } from '#tests/support/clock/eventually.ts'

let router: Upstream
let spare: Upstream
let now: number
let models: ReturnType<typeof startModels>

beforeAll(async () => {
  router = await startUpstream()
  spare = await startUpstream()
})
afterAll(async () => {
  await router.close()
  await spare.close()
})

/** In the format of the routing provider. */
const gpt4o = {
  id: 'openai/gpt-4o',
  name: 'OpenAI: GPT-4o',
  description: 'A model that sees.',
  context_length: 128_000,
  created: 1_715_000_000,
  pricing: { prompt: '0.0000025', completion: '0.00001' },
  architecture: { input_modalities: ['text', 'image'] },
  supported_parameters: ['tools', 'temperature'],
}
const r1 = {
  id: 'deepseek/deepseek-r1',
  name: 'R1',
  pricing: { prompt: '0.0000007', completion: '0.0000025' },
}
const auto = { id: 'router/auto', pricing: { prompt: '-1', completion: '-1' } }

beforeEach(() => {
  now = 1_700_000_000_000
  router.list([gpt4o, r1, auto])
  spare.list([{ id: 'small', object: 'model', created: 1 }])
  models = startModels({
    AI_BASE_URL: router.baseUrl,
    AI_PROVIDERS: JSON.stringify({ spare: { baseUrl: spare.baseUrl } }),
    now: () => now,
  })
})

type Model = Record<string, unknown> & { id: string }

async function list(path = '/api/ai/models') {
  const { status, body } = await models.get(path)
  expect(status).toBe(200)
  const byId = new Map((body.models as Model[]).map((model) => [model.id, model]))
  return { body, byId }
}

describe('GET /api/ai/models', () => {
  it('returns a model as its provider lists it', async () => {
    const { byId } = await list()
    expect(byId.get('openai/gpt-4o')).toEqual({
      id: 'openai/gpt-4o',
      name: 'OpenAI: GPT-4o',
      provider: 'router',
      description: 'A model that sees.',
      tags: ['vision', 'tools'],
      inputCost: 2.5,
      outputCost: 10,
      contextWindow: 128_000,
      available: true,
    })
  })

  it('returns null for unknown values, and never 0', async () => {
    const { byId } = await list()
    const unknown = { description: null, tags: [], contextWindow: null }
    const unpriced = { inputCost: null, outputCost: null, available: true, ...unknown }
    expect(byId.get('spare/small')).toEqual({
      id: 'spare/small',
      name: 'spare/small',
      provider: 'spare',
      ...unpriced,
    })
    expect(byId.get('router/auto')).toMatchObject(unpriced)
  })

  it('prefers the provider’s price to the price file’s', async () => {
    router.list([r1, { id: 'openai/gpt-4o' }])
    const { byId } = await list()
    expect(byId.get('deepseek/deepseek-r1')).toMatchObject({ inputCost: 0.7, outputCost: 2.5 })
    expect(byId.get('openai/gpt-4o')).toMatchObject({ inputCost: 2.5, outputCost: 10 })
  })

  it.each([
    ['null', { prompt: null, completion: null }],
    ['empty', { prompt: '', completion: ' ' }],
    ['negative', { prompt: '-1', completion: '1' }],
    ['not a number', { prompt: 'free', completion: {} }],
  ])('returns no price for one that is %s', async (_, pricing) => {
    router.list([{ id: 'some/model', pricing }])
    const { byId } = await list()
    expect(byId.get('some/model')).toMatchObject({ inputCost: null, outputCost: null })
  })

  it('tags models with their tasks', async () => {
    const { byId } = await list()
    expect(byId.get('deepseek/deepseek-r1')?.tags).toEqual(['reasoning', 'coding', 'creative'])
  })

  it('omits models of a plan that the provider no longer lists', async () => {
    const { byId } = await list()
    expect(testModelSets.PLAN_MODELS.collective).toContain('anthropic/claude-3-opus')
    expect(byId.has('anthropic/claude-3-opus')).toBe(false)
  })

  it('counts all models, and each provider’s under its name', async () => {
    const { body, byId } = await list()
    const of = (name: string) => [...byId.values()].filter(({ provider }) => provider === name)
    expect(Object.keys(body).sort()).toEqual(['count', 'models', 'router', 'spare', 'timestamp'])
    expect(body).toMatchObject({
      count: byId.size,
      router: of('router').length,
      spare: 1,
      timestamp: expect.stringMatching(/Z$/),
    })
    expect([...byId.keys()]).toEqual([...byId.keys()].sort())
  })

  it('keeps its format for any name of a provider', async () => {
    const names = { models: { baseUrl: spare.baseUrl }, count: { baseUrl: spare.baseUrl } }
    models = startModels({ AI_PROVIDERS: JSON.stringify(names) })
    const { body, byId } = await list()
    expect(body.count).toBe(2)
    expect([...byId.keys()]).toEqual(['count/small', 'models/small'])
  })

  it('lists a model of two providers once, under the provider that serves it', async () => {
    spare.list([{ id: 'gpt-4o', name: 'Direct' }])
    const AI_PROVIDERS = JSON.stringify({ openai: { baseUrl: spare.baseUrl } })
    models = startModels({ AI_BASE_URL: router.baseUrl, AI_PROVIDERS })
    const { body, byId } = await list()
    const ids = (body.models as Model[]).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(byId.get('openai/gpt-4o')).toMatchObject({ name: 'Direct', provider: 'openai' })
  })

  it('caches a list for ten minutes, and longer while its provider is unavailable', async () => {
    await list()
    router.list([r1])
    now += 599_999
    expect((await list()).byId.has('router/auto')).toBe(true)
    now += 1
    // No caller waits for the refresh: this is still the old list, the next call returns the new one.
    expect((await list()).byId.has('router/auto')).toBe(true)
    await eventually(async () => expect((await list()).byId.has('router/auto')).toBe(false))
    router.list(undefined)
    now += 600_000
    const asked = router.listed()
    // Repeated, so that the first failure is recorded.
    await eventually(async () => {
      now += 30_000
      await list()
      expect(router.listed()).toBeGreaterThan(asked + 1)
    })
    expect((await list()).byId.get(r1.id)?.available).toBe(true)
  })

  it('fetches each provider’s list once, under concurrent requests', async () => {
    const other = await startUpstream()
    other.list([gpt4o])
    models = startModels({ AI_BASE_URL: other.baseUrl })
    await Promise.all(Array.from({ length: 20 }, () => list()))
    expect(other.listed()).toBe(1)
    await other.close()
  })

  it('omits a provider that lists nothing, until it does', async () => {
    router.list(undefined)
    const { byId } = await list()
    expect(byId.get('openai/gpt-4o')).toMatchObject({ available: false, inputCost: 2.5 })
    expect(byId.get('spare/small')).toMatchObject({ available: true })
    router.list([gpt4o])
    now += 30_000
    await list()
    await eventually(async () => expect((await list()).byId.get(gpt4o.id)?.available).toBe(true))
  })

  it('omits entries that are not models', async () => {
    router.list([null, 7, {}, { id: '' }, { id: 5 }, { id: 'x'.repeat(201) }, gpt4o])
    const { byId } = await list()
    const available = [...byId.values()].filter((model) => model.available === true)
    expect(available.map(({ id }) => id)).toEqual(['openai/gpt-4o', 'spare/small'])
  })

  it('omits invalid fields of an entry', async () => {
    router.list([
      { id: 'odd/model', name: 5, description: '', context_length: -1, architecture: 'x' },
    ])
    const { byId } = await list()
    expect(byId.get('odd/model')).toMatchObject({
      name: 'odd/model',
      description: null,
      contextWindow: null,
      tags: [],
    })
  })

  it('returns 503 and names the settings if no provider is configured', async () => {
    const { status, body } = await startModels({}).get('/api/ai/models')
    expect([status, body]).toEqual([
      503,
      { error: 'AI is not configured', missing: ['AI_BASE_URL', 'AI_API_KEY'] },
    ])
  })
})

describe('GET /api/ai/models/:provider', () => {
  it('lists one provider’s models', async () => {
    const { body } = await list('/api/ai/models/spare')
    expect(body).toEqual({
      provider: 'spare',
      models: [expect.objectContaining({ id: 'spare/small', provider: 'spare' })],
      count: 1,
      timestamp: expect.any(String),
    })
    const all = await list()
    expect((await list('/api/ai/models/router')).body.count).toBe(all.body.router)
  })

  it.each(['openai', 'unknown', 'ROUTER', '__proto__', '%00'])(
    'rejects the unknown provider %s',
    async (name) => {
      const { status, body } = await models.get(`/api/ai/models/${name}`)
      expect([status, body]).toEqual([404, { error: 'Provider not found' }])
    },
  )
})

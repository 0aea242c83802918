import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startModels } from '#tests/support/ai/models.ts'
import { startUpstream, type Upstream } from '#tests/support/ai/upstream.ts'

let router: Upstream
let spare: Upstream
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
const gpt4o = { id: 'openai/gpt-4o', pricing: { prompt: '0.0000025', completion: '0.00001' } }
const r1 = {
  id: 'deepseek/deepseek-r1',
  pricing: { prompt: '0.0000007', completion: '0.0000025' },
}

beforeEach(() => {
  router.list([gpt4o, r1])
  spare.list([{ id: 'small' }])
  models = startModels({
    AI_BASE_URL: router.baseUrl,
    AI_PROVIDERS: JSON.stringify({ spare: { baseUrl: spare.baseUrl } }),
  })
})

type Model = Record<string, unknown> & { id: string }

describe('POST /api/ai/models/select', () => {
  const select = (body?: unknown) => models.post('/api/ai/models/select', body)

  it('returns the first of the task’s models that its provider lists', async () => {
    router.list([{ id: 'deepseek/deepseek-r1' }, { id: 'google/gemini-2.0-flash-001' }])
    const { status, body } = await select({ taskType: 'coding' })
    expect(status).toBe(200)
    expect(body).toEqual({
      model: { id: 'deepseek/deepseek-r1', provider: 'router' },
      taskType: 'coding',
      timestamp: expect.any(String),
    })
  })

  it('returns the first of all while the provider is unavailable', async () => {
    router.list(undefined)
    const chosen = await Promise.all(
      ['reasoning', 'coding', 'fast', 'creative', 'general'].map(async (taskType) => {
        const { body } = await select({ taskType })
        return (body.model as Model).id
      }),
    )
    expect(chosen).toEqual([
      'deepseek/deepseek-r1',
      'qwen/qwen-2.5-coder-32b-instruct',
      'meta-llama/llama-3.3-70b-instruct',
      'moonshotai/kimi-k2.5',
      'meta-llama/llama-3.3-70b-instruct',
    ])
  })

  it.each([undefined, {}])('treats %j as a general task', async (body) => {
    router.list([{ id: 'mistralai/mistral-7b-instruct' }])
    const answer = await select(body)
    expect(answer.body).toMatchObject({
      model: { id: 'mistralai/mistral-7b-instruct' },
      taskType: 'general',
    })
  })

  it.each(['poetry', '', 'Fast', 'constructor', 5, null])(
    'rejects the task %j',
    async (taskType) => {
      const { status, body } = await select({ taskType })
      expect(status).toBe(400)
      expect(body.error).toMatch(/taskType must be one of general, reasoning, coding/)
    },
  )

  it('returns 404 if the task has no model', async () => {
    router.list([gpt4o])
    expect(await select({ taskType: 'creative' })).toMatchObject({
      status: 404,
      body: { error: 'No models available' },
    })
    models = startModels({ AI_PROVIDERS: JSON.stringify({ spare: { baseUrl: spare.baseUrl } }) })
    expect((await select({})).status).toBe(404)
    models = startModels({})
    expect((await select({})).status).toBe(404)
  })

  it('returns the stand-in if no provider is configured', async () => {
    spare.list([{ id: 'echo' }])
    models = startModels({ STAND_IN_PROVIDER_URL: spare.baseUrl })
    const { body } = await select({ taskType: 'coding' })
    expect(body.model).toEqual({ id: 'local/echo', provider: 'local' })
  })
})

describe('POST /api/ai/estimate-cost', () => {
  const estimate = (body: unknown) => models.post('/api/ai/estimate-cost', body)
  const thousand = { inputTokens: 1000, outputTokens: 500 }

  it('returns the cost of the tokens at the provider’s price', async () => {
    const { status, body } = await estimate({ model: 'deepseek/deepseek-r1', ...thousand })
    expect(status).toBe(200)
    expect(body).toEqual({
      model: 'deepseek/deepseek-r1',
      inputTokens: 1000,
      outputTokens: 500,
      estimatedCost: 0.00195,
      currency: 'USD',
      timestamp: expect.any(String),
    })
  })

  it('uses the price file if the provider has no price', async () => {
    router.list(undefined)
    const { body } = await estimate({ model: 'openai/gpt-4o', ...thousand })
    expect(body.estimatedCost).toBe(0.0075)
  })

  it.each(['unknown/nothing', 'gpt-4o', 'local/echo', 'spare/large', '__proto__'])(
    'rejects the unknown model %s',
    async (model) => {
      const { status, body } = await estimate({ model, ...thousand })
      expect(status).toBe(404)
      expect(body).toEqual({
        error: `No provider lists the model ${model}`,
        code: 'MODEL_NOT_FOUND',
      })
    },
  )

  it('returns null for a known model without a known price', async () => {
    const { status, body } = await estimate({ model: 'spare/small', ...thousand })
    expect([status, body.estimatedCost]).toEqual([200, null])
  })

  it('returns 0 for the stand-in, which is free', async () => {
    spare.list([{ id: 'echo' }])
    models = startModels({ STAND_IN_PROVIDER_URL: spare.baseUrl })
    const { status, body } = await estimate({ model: 'local/echo', ...thousand })
    expect([status, body.estimatedCost]).toEqual([200, 0])
  })

  it.each([
    ['model', { ...thousand }],
    ['model', { model: '', ...thousand }],
    ['model', { model: 5, ...thousand }],
    ['inputTokens', { model: 'openai/gpt-4o', outputTokens: 1 }],
    ['outputTokens', { model: 'openai/gpt-4o', inputTokens: 1 }],
    ['inputTokens', { model: 'openai/gpt-4o', ...thousand, inputTokens: -1 }],
    ['inputTokens', { model: 'openai/gpt-4o', ...thousand, inputTokens: 1.5 }],
    ['inputTokens', { model: 'openai/gpt-4o', ...thousand, inputTokens: '1000' }],
    ['outputTokens', { model: 'openai/gpt-4o', ...thousand, outputTokens: 1e300 }],
  ])('rejects an invalid %s', async (field, body) => {
    const answer = await estimate(body)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toContain(field)
  })
})

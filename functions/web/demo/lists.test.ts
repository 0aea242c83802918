import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { nameOf } from '#shared/money/plans/model-sets.ts'
import { type Provider, startProvider } from '#stacks/local/provider/server.ts'
import { startDemo } from '#tests/support/ai/demo.ts'
import { testModelSets } from '#tests/support/ai/model-sets.ts'
import { startUpstream, type Upstream } from '#tests/support/ai/upstream.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'

let database: TestTable
let upstream: Upstream
let standIn: Provider
let demo: ReturnType<typeof startDemo>

beforeAll(async () => {
  database = await startTestTable()
  upstream = await startUpstream()
  standIn = await startProvider()
})
beforeEach(() => {
  demo = startDemo(database.table, { AI_BASE_URL: upstream.baseUrl })
})
afterAll(async () => {
  await standIn.close()
  await upstream.close()
  await database.close()
})

describe('the model list of the demo', () => {
  it('names six models, and their providers', async () => {
    const { status, body } = await demo.get()
    expect(status).toBe(200)
    expect(body).toEqual({
      models: testModelSets.DEMO_MODELS.map((id) => ({ id, name: nameOf(id), provider: 'router' })),
      mode: 'demo',
      message: expect.any(String),
    })
    expect(body.models).toHaveLength(6)
  })

  it('names the same six if the stand-in is the only provider', async () => {
    const { body } = await startDemo(database.table, {
      STAND_IN_PROVIDER_URL: standIn.baseUrl,
    }).get()
    expect(body.models).toEqual(
      testModelSets.DEMO_MODELS.map((id) => ({ id, name: nameOf(id), provider: 'local' })),
    )
  })
})

describe('GET /api/models', () => {
  it('lists the providers’ current models in a short form', async () => {
    upstream.list([
      {
        id: 'openai/gpt-4o',
        name: 'GPT-4o',
        description: 'long',
        context_length: 128_000,
        pricing: { prompt: '0.0000025', completion: '0.00001' },
      },
      { id: 'some/model' },
    ])
    const { status, body } = await demo.get('/api/models')
    expect(status).toBe(200)
    expect(body).toEqual({
      models: [
        {
          id: 'openai/gpt-4o',
          name: 'GPT-4o',
          provider: 'router',
          contextWindow: 128_000,
          inputCost: 2.5,
          outputCost: 10,
        },
        {
          id: 'some/model',
          name: 'some/model',
          provider: 'router',
          contextWindow: null,
          inputCost: null,
          outputCost: null,
        },
      ],
      count: 2,
    })
  })

  it('lists the models of plans and tasks while the provider lists nothing', async () => {
    upstream.list(undefined)
    const { body } = await demo.get('/api/models')
    expect(body.models).toContainEqual(expect.objectContaining({ id: 'deepseek/deepseek-r1' }))
    expect(body.models).toHaveLength(Number(body.count))
  })

  it('returns 503 and names the settings without a provider', async () => {
    const { status, body } = await startDemo(database.table, {}).get('/api/models')
    expect([status, body]).toEqual([
      503,
      { error: 'AI is not configured', missing: ['AI_BASE_URL', 'AI_API_KEY'] },
    ])
  })
})

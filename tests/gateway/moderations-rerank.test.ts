import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { type Behaviour, sendJson } from '../support/ai/upstream.ts'

const moderation = 'openai/omni-moderation-latest'
const rerank = 'cohere/rerank-v3.5'

const moderates: Behaviour = (response) =>
  sendJson(response, 200, {
    id: 'modr-1',
    model: 'omni-moderation-2024-09-26',
    results: [{ flagged: true, categories: { violence: true } }],
  })

const ranks =
  (more: object): Behaviour =>
  (response) =>
    sendJson(response, 200, { id: 'r-1', results: [{ index: 1, relevance_score: 0.9 }], ...more })

describe('moderations and rerank', () => {
  const on = useAiFunction({ AI_SPEAKS: 'chat,moderations,rerank' })

  it('moderate texts and images with the official client, free of charge', async () => {
    on.upstream.serve(moderation, moderates)
    const { moderations } = on.caller.openai
    const answer = await moderations.create({ input: ['Hello', 'World'] })
    expect(answer).toMatchObject({ id: 'modr-1', results: [{ flagged: true }] })
    const image = { type: 'image_url' as const, image_url: { url: 'https://example.com/a.png' } }
    await moderations.create({ model: moderation, input: [{ type: 'text', text: 'Hi' }, image] })
    expect(on.upstream.asked).toMatchObject([
      { path: '/moderations', body: { model: moderation, input: ['Hello', 'World'] } },
      { body: { input: [{ text: 'Hi' }, image] } },
    ])
    const free = { inputTokens: 0, outputTokens: 0, costUsd: 0, estimated: false, success: true }
    expect(await on.caller.events()).toMatchObject([
      { ...free, model: moderation, endpoint: '/v1/moderations' },
      free,
    ])
    await expect(moderations.create({ input: '' })).rejects.toMatchObject({ param: 'input' })
    await expect(moderations.create({ input: [] })).rejects.toMatchObject({ param: 'input' })
  })

  const query = { model: rerank, query: 'capital', documents: ['Oslo', 'Paris'] }

  it.each<[string, object, object]>([
    ['Cohere’s searches', { meta: { billed_units: { search_units: 3 } } }, { costUsd: 0.006 }],
    [
      'OpenRouter’s searches and cost',
      { usage: { search_units: 1, total_tokens: 21, cost: 0.0015 } },
      { costUsd: 0.0015, inputTokens: 21 },
    ],
    ['Jina’s tokens', { usage: { total_tokens: 21 } }, { inputTokens: 21 }],
    ['the maximum, if the provider counts nothing', {}, { costUsd: 0.002, estimated: true }],
  ])('rerank counts %s', async (_, counted, event) => {
    on.upstream.serve(rerank, ranks(counted))
    const answer = await on.caller.openai.post('/rerank', { body: query })
    expect(answer).toMatchObject({ id: 'r-1', results: [{ index: 1, relevance_score: 0.9 }] })
    expect(on.upstream.asked).toMatchObject([{ path: '/rerank', body: query }])
    const defaults = { model: rerank, outputTokens: 0, endpoint: '/v1/rerank', success: true }
    expect(await on.caller.events()).toMatchObject([{ ...defaults, ...event }])
  })

  it.each(['/rerank', '/moderations', '/audio/speech', '/images/generations', '/embeddings'])(
    '%s refuses other models and tools of a routing provider',
    async (path) => {
      const texts = { query: 'x', documents: ['x'], input: 'x', voice: 'x', prompt: 'x' }
      for (const field of [{ models: ['openai/gpt-4o'] }, { plugins: [{ id: 'web' }] }]) {
        const body = { model: rerank, ...texts, ...field }
        const refused = on.caller.openai.post(path, { body })
        const [param] = Object.keys(field)
        await expect(refused).rejects.toMatchObject({ status: 400, param })
      }
      expect(on.upstream.asked).toEqual([])
    },
  )

  it.each<[string, object]>([
    ['query', { query: '' }],
    ['documents', { documents: [] }],
    ['documents', { documents: undefined }],
    ['top_n', { top_n: 0 }],
    ['model', { model: undefined }],
  ])('rerank refuses an invalid %s', async (param, body) => {
    const refused = on.caller.openai.post('/rerank', { body: { ...query, ...body } })
    await expect(refused).rejects.toMatchObject({ status: 400, param })
    expect(on.upstream.asked).toEqual([])
  })
})

import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { testModelSets } from '../support/ai/model-sets.ts'
import { type Behaviour, fails, sendJson, usage } from '../support/ai/upstream.ts'

const model = 'openai/text-embedding-3-small'

/** Three dimensions of each input, in the requested encoding. */
const vector = [0.1, -0.25, 1e-7]

function inputsOf({ input }: Record<string, unknown>): number {
  return Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1
}

const embeds: Behaviour = (response, { body }) => {
  const base64 = Buffer.from(new Float32Array(vector).buffer).toString('base64')
  const embedding = body.encoding_format === 'base64' ? base64 : vector
  const data = Array.from({ length: inputsOf(body) }, (_, index) => ({
    object: 'embedding',
    index,
    embedding,
  }))
  const counted = { prompt_tokens: 8, total_tokens: 8 }
  sendJson(response, 200, { object: 'list', data, model: 'their-name', usage: counted })
}

describe('the official client’s embeddings', () => {
  const on = useAiFunction({ AI_API_KEY: 'their-key' })

  it.each<[string, OpenAI.EmbeddingCreateParams['input'], number]>([
    ['a text', 'Hello', 1],
    ['a list of texts', ['Hello', 'World'], 2],
    ['tokens', [9906], 1],
    ['lists of tokens', [[9906], [10343, 4435]], 2],
    ['2,048 texts', Array.from({ length: 2048 }, (_, i) => `text ${i}`), 2048],
  ])('embed %s', async (_, input, count) => {
    on.upstream.serve(model, embeds)
    const answer = await on.caller.openai.embeddings.create({ model, input, dimensions: 3 })
    expect(answer).toMatchObject({ object: 'list', model: 'their-name' })
    expect(answer.data.map(({ index }) => index)).toEqual(
      Array.from({ length: count }, (_, i) => i),
    )
    expect(answer.data[0]?.embedding.map((value) => Number(value.toPrecision(6)))).toEqual(vector)
    expect(on.upstream.asked).toMatchObject([
      {
        path: '/embeddings',
        authorization: 'Bearer their-key',
        body: { model, input, dimensions: 3, encoding_format: 'base64' },
      },
    ])
    expect(await on.caller.events()).toMatchObject([
      {
        kind: 'completion',
        model,
        endpoint: '/v1/embeddings',
        inputTokens: 8,
        outputTokens: 0,
        costUsd: 0.00000016,
        estimated: false,
        success: true,
      },
    ])
  })

  it('return the provider’s answer byte for byte', async () => {
    const sent =
      '{"usage": {"total_tokens":3, "cost":0.5},\n "object":"list", "data":[{"object":"embedding",' +
      '"index":0,"embedding":[1.00, 2e-07,-0]}] , "model":"m"}'
    on.upstream.serve(model, (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(sent)
    })
    const answer = await on.caller.openai.embeddings
      .create({ model, input: 'Hello', encoding_format: 'float' })
      .asResponse()
    expect(await answer.text()).toBe(sent)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await on.caller.events()).toMatchObject([{ inputTokens: 3, costUsd: 0.5 }])
  })

  it('find the model by the vendor’s own name', async () => {
    on.upstream.serve(model, embeds)
    await on.caller.openai.embeddings.create({ model: 'text-embedding-3-small', input: 'Hello' })
    expect(await on.caller.events()).toMatchObject([{ model }])
  })

  it('try no other model', async () => {
    on.upstream.serve(model, fails(500))
    const refused = on.caller.openai.embeddings.create({ model, input: 'Hello' })
    await expect(refused).rejects.toMatchObject({ status: 502, code: 'AI_UNAVAILABLE' })
    expect(on.upstream.asked).toHaveLength(1)
    expect(await on.caller.events()).toEqual([])
  })

  it('refuse an answer that has no embeddings', async () => {
    on.upstream.serve(model, (response) => {
      sendJson(response, 200, { object: 'list', usage: usage(1, 0) })
    })
    const refused = on.caller.openai.embeddings.create({ model, input: 'Hello' })
    await expect(refused).rejects.toMatchObject({ status: 502 })
  })

  it.each<[string, object, string]>([
    ['no input', {}, 'input'],
    ['an empty text', { input: '' }, 'input'],
    ['an empty list', { input: [] }, 'input'],
    ['an empty item', { input: ['Hello', ''] }, 'input.1'],
    ['2,049 inputs', { input: Array.from({ length: 2049 }, () => 'x') }, 'input'],
    ['an unknown encoding', { input: 'x', encoding_format: 'int8' }, 'encoding_format'],
    ['no dimensions', { input: 'x', dimensions: 0 }, 'dimensions'],
    ['no model', { input: 'x', model: 'auto' }, 'model'],
  ])('refuse %s by the name of the field', async (_, body, param) => {
    const refused = on.caller.openai.embeddings.create({ model, ...body } as never)
    await expect(refused).rejects.toMatchObject({
      status: 400,
      param,
      type: 'invalid_request_error',
    })
    expect(on.upstream.asked).toEqual([])
  })

  it('pass on the reason why the provider refuses a request', async () => {
    on.upstream.serve('openai/gpt-4o', fails(400, 'this is a chat model'))
    const refused = on.caller.openai.embeddings.create({ model: 'openai/gpt-4o', input: 'Hello' })
    await expect(refused).rejects.toThrow(/this is a chat model/)
  })
})

describe('embeddings over a provider that does not serve them', () => {
  const on = useAiFunction({ AI_SPEAKS: 'chat' })

  it('are refused', async () => {
    const refused = on.caller.openai.embeddings.create({ model, input: 'Hello' })
    await expect(refused).rejects.toMatchObject({
      status: 400,
      code: 'MODEL_UNSUPPORTED',
      param: 'model',
    })
  })
})

describe('embeddings of a plan', () => {
  const sets = { ...testModelSets.PLAN_MODELS, further: { solo: [model] } }
  const on = useAiFunction({ PLAN_MODELS: JSON.stringify(sets) }, 'solo')

  it('include its further models', async () => {
    on.upstream.serve(model, embeds)
    const { embeddings, models } = on.caller.openai
    await embeddings.create({ model, input: 'Hello' })
    const listed = await models.list()
    expect(listed.data.map(({ id }) => id)).toContain(model)
    const other = embeddings.create({ model: 'openai/text-embedding-3-large', input: 'Hello' })
    await expect(other).rejects.toMatchObject({ status: 403, code: 'MODEL_RESTRICTED' })
  })
})

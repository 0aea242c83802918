import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AiCaller, type AiFunction, startAiFunction } from '../support/ai/ai-function.ts'
import { testModelVariables } from '../support/ai/model-sets.ts'
import { plays } from '../support/ai/played.ts'
import {
  type Behaviour,
  fails,
  sendJson,
  startUpstream,
  type Upstream,
} from '../support/ai/upstream.ts'

const model = 'openai/gpt-4o'
const embedder = 'openai/text-embedding-3-small'

const embeds: Behaviour = (response) =>
  sendJson(response, 200, {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
    model: 'their-name',
    usage: { prompt_tokens: 1, total_tokens: 1 },
  })

describe('the choice of providers in every family', () => {
  let router: Upstream
  let azure: Upstream
  let gateway: AiFunction
  let caller: AiCaller

  beforeAll(async () => {
    router = await startUpstream()
    azure = await startUpstream()
    const entry = {
      baseUrl: azure.baseUrl,
      speaks: ['chat', 'messages', 'responses', 'embeddings'],
      models: { [model]: 'gpt-4o', [embedder]: 'embedder' },
      prices: { 'gpt-4o': { input: 9, output: 90 } },
    }
    gateway = await startAiFunction({
      ...testModelVariables,
      AI_BASE_URL: router.baseUrl,
      AI_PROVIDERS: JSON.stringify({ azure: entry }),
    })
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await router.close()
    await azure.close()
  })
  beforeEach(async () => {
    for (const upstream of [router, azure]) upstream.reset()
    const turn = plays(() => ({ text: 'Hi', output_tokens: 1 }))
    router.serve(model, turn)
    azure.serve('gpt-4o', turn)
    for (const [upstream, name] of [
      [router, embedder],
      [azure, 'embedder'],
    ] as const)
      upstream.serve(name, embeds)
    caller = await gateway.newCaller()
  })

  type Options = { headers: Record<string, string> }
  const messages = [{ role: 'user' as const, content: 'Hello' }]
  const calls: [string, (options: Options) => Promise<unknown>][] = [
    ['chat', (options) => caller.openai.chat.completions.create({ model, messages }, options)],
    [
      'messages',
      (options) => caller.anthropic.messages.create({ model, max_tokens: 9, messages }, options),
    ],
    ['responses', (options) => caller.openai.responses.create({ model, input: 'Hi' }, options)],
    [
      'embeddings',
      (options) => caller.openai.embeddings.create({ model: embedder, input: 'Hi' }, options),
    ],
  ]

  it.each(calls)('%s follow the order of the header', async (_, call) => {
    await call({ headers: {} })
    expect([router.asked.length, azure.asked.length]).toEqual([1, 0])
    await call({ headers: { 'x-routing': '{"order":["azure"]}' } })
    expect([router.asked.length, azure.asked.length]).toEqual([1, 1])
    expect((await caller.events()).map(({ provider }) => provider)).toEqual(['router', 'azure'])
  })

  it.each(calls)('%s refuse an invalid header in the form of the family', async (_, call) => {
    await expect(call({ headers: { 'x-routing': '{"weights":[]}' } })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('x-routing.weights') as string,
    })
    expect(await caller.quota()).toBeUndefined()
  })

  it.each(calls.slice(0, 3))('%s are refused below every price', async (_, call) => {
    const refused = call({ headers: { 'x-routing': '{"maxPriceUsd":{"output":1}}' } })
    await expect(refused).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('maxPriceUsd') as string,
    })
    expect([router.asked.length, azure.asked.length]).toEqual([0, 0])
  })

  it('a provider that fails is left out of the next calls', async () => {
    router.serve(model, fails(503))
    const ask = () => caller.openai.chat.completions.create({ model, messages })
    await ask()
    await ask()
    expect([router.asked.length, azure.asked.length]).toEqual([1, 2])
  })
})

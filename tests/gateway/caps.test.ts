import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ModelFamily } from '#shared/manifest/model-families.ts'
import { type AiFunction, startAiFunction } from '../support/ai/ai-function.ts'
import { testModelVariables } from '../support/ai/model-sets.ts'
import { type Behaviour, sendJson, startUpstream, type Upstream } from '../support/ai/upstream.ts'
import { silence } from '../support/ai/wave.ts'
import { eventually } from '../support/clock/eventually.ts'

const model = 'played/m'
const text = 'x'.repeat(100)
const messages = [{ role: 'user', content: 'Hello' }]

/** USD per million tokens and per unit: each call below costs about 0.1 USD. */
const prices = {
  input: 1000,
  output: 1000,
  units: { image: 0.1, character: 0.001, second: 0.05, search: 0.1 },
}

const usage = { prompt_tokens: 10, completion_tokens: 90, total_tokens: 100 }

const replies: Record<string, object> = {
  '/chat/completions': {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage,
  },
  '/embeddings': {
    object: 'list',
    model: 'm',
    data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
    usage: { prompt_tokens: 100, total_tokens: 100 },
  },
  '/images/generations': { created: 1, data: [{ b64_json: 'AAAA' }] },
  '/audio/transcriptions': { text: 'Hi' },
  '/rerank': {
    id: 'r',
    results: [{ index: 0, relevance_score: 0.9 }],
    meta: { billed_units: { search_units: 1 } },
  },
}

const form = () => {
  const body = new FormData()
  body.set('model', model)
  body.set('file', new File([new Uint8Array(silence(2))], 'silence.wav'))
  return body
}

const families: [ModelFamily, string, () => object][] = [
  ['chat', 'chat/completions', () => ({ model, messages, max_tokens: 90 })],
  ['messages', 'messages', () => ({ model, messages, max_tokens: 90 })],
  ['responses', 'responses', () => ({ model, input: 'Hello', max_output_tokens: 90 })],
  ['embeddings', 'embeddings', () => ({ model, input: text.repeat(3) })],
  ['images', 'images/generations', () => ({ model, prompt: 'A cat', n: 1 })],
  ['speech', 'audio/speech', () => ({ model, input: text, voice: 'coral' })],
  ['transcriptions', 'audio/transcriptions', form],
  ['rerank', 'rerank', () => ({ model, query: 'a', documents: ['a', 'b'] })],
]

let upstream: Upstream
let gateway: AiFunction
beforeAll(async () => {
  upstream = await startUpstream()
  const speaks = families.map(([family]) => family).filter((family) => !/^mess|^resp/.test(family))
  const played = { baseUrl: upstream.baseUrl, speaks, prices: { m: prices } }
  gateway = await startAiFunction({
    ...testModelVariables,
    AI_PROVIDERS: JSON.stringify({ played }),
    PLAN_SPEND_CAPS_USD: 'network=1',
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream.close()
})

it.each(families)('twenty calls of %s at once stay within a spend cap', async (_, path, body) => {
  upstream.reset()
  const caller = await gateway.newCaller()
  const all = Promise.withResolvers<void>()
  const answer: Behaviour = async (response, asked) => {
    await all.promise
    if (asked.path === '/audio/speech')
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('sound')
    else sendJson(response, 200, replies[asked.path])
  }
  upstream.serve('m', answer)
  const refused: unknown[] = []
  const calls = Array.from({ length: 20 }, async () => {
    const content = body()
    const isForm = content instanceof FormData
    const response = await fetch(`${gateway.url}/v1/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${caller.key}`,
        ...(!isForm && { 'content-type': 'application/json' }),
      },
      body: isForm ? content : JSON.stringify(content),
    })
    const received = await response.text()
    if (response.status === 429) refused.push(received)
    return response.status
  })
  await eventually(() => expect(upstream.asked.length + refused.length).toBe(20))
  all.resolve()
  const statuses = await Promise.all(calls)

  const served = statuses.filter((status) => status === 200).length
  expect(served + refused.length).toBe(20)
  // Each call reserves at least 0.1 USD of the 1 USD. The longest duration of the audio file allows one call.
  expect(served).toBeGreaterThanOrEqual(1)
  expect(served).toBeLessThanOrEqual(10)
  for (const refusal of refused) expect(refusal).toContain('SPEND_CAP_REACHED')
  const events = await caller.events()
  expect(events).toHaveLength(served)
  const spent = served * 100_000
  expect(await caller.quota()).toMatchObject({ usedMicroUsd: spent, committedMicroUsd: spent })
})

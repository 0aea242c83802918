import { expect, it } from 'vitest'
import { callCost, listPrice, maxCostAt, pricesTokens } from './cost.ts'
import { createCatalogue } from './models/catalogue.ts'
import { createProviders } from './providers/provider.ts'

const prices = {
  flux: {
    units: { image: 0.04, 'image hd': 0.08, 'image low 512x512': 0.01 },
  },
  embed: { input: 0.5 },
  free: {},
}

function providersWith(entries: object) {
  return createProviders({
    AI_BASE_URL: undefined,
    AI_API_KEY: undefined,
    AI_SPEAKS: undefined,
    STAND_IN_PROVIDER_URL: undefined,
    AI_PROVIDERS: JSON.stringify({
      acme: { baseUrl: 'http://127.0.0.1:9/v1', speaks: ['images', 'embeddings'], ...entries },
    }),
  })
}

function costOf(model: string, units: Record<string, number>, inputTokens = 0) {
  const providers = providersWith({ prices })
  const route = providers.route(`acme/${model}`)
  if (route === undefined) throw new Error('no provider')
  return callCost(createCatalogue(providers), route, { inputTokens, outputTokens: 0, units })
}

it('prices of AI_PROVIDERS price units, by the most expensive price that fits', async () => {
  expect(await costOf('flux', { 'image standard 1024x1024': 3 })).toBe(0.12)
  expect(await costOf('flux', { 'image hd 1024x1024': 2 })).toBe(0.16)
  expect(await costOf('flux', { 'image low auto': 1 })).toBe(0.04)
  expect(await costOf('flux', { 'image auto auto': 1 })).toBe(0.08)
  expect(await costOf('embed', {}, 1_000_000)).toBe(0.5)
})

it('a model that is billed by units without a price of them has no cost', async () => {
  expect(await costOf('flux', { second: 3 })).toBeNull()
  expect(
    maxCostAt({ input: 0, output: 0, units: { image: 1 } }, size({ second: 1 })),
  ).toBeUndefined()
  expect(await costOf('other', { 'image auto auto': 1 })).toBeNull()
})

it('a call that is measured only in units has no cost with a price of tokens', async () => {
  expect(await costOf('embed', { character: 3 })).toBeNull()
  expect(
    maxCostAt(
      { input: 0.5, output: 0 },
      { ...size({ character: 3 }), inputTokens: 0, outputTokens: 0 },
    ),
  ).toBeUndefined()
  expect(await costOf('free', { character: 3 })).toBe(0)
})

it('a price of tokens and units is their sum', () => {
  const price = { input: 2, output: 8, cacheWrite: 3, units: { second: 0.001 } }
  expect(maxCostAt(price, size({ second: 10 }))).toBe(0.010011)
  expect(maxCostAt(price, size())).toBe(0.000011)
})

function size(units?: Record<string, number>) {
  return { inputTokens: 1, outputTokens: 1, ...(units && { units }) }
}

it('a model that is billed by units has no price of tokens, and a free model has one', () => {
  const isPriced = (id: string) => {
    const price = listPrice(id)
    return price && pricesTokens(price)
  }
  expect(isPriced('openai/whisper-1')).toBe(false)
  expect(isPriced('openai/omni-moderation-latest')).toBe(true)
  expect(isPriced('openai/text-embedding-3-small')).toBe(true)
})

it.each<[string, object]>([
  ['an unknown unit', { m: { units: { barrel: 1 } } }],
  ['a negative price', { m: { input: -1 } }],
  ['an unknown field', { m: { price: 1 } }],
])('prices with %s stop the start', (_, wrong) => {
  expect(() => providersWith({ prices: wrong })).toThrow(/AI_PROVIDERS/)
})

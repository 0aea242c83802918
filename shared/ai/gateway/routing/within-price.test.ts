import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PlatformError } from '#shared/platform/errors.ts'
import type { Price } from '../price.ts'
import type { Route } from '../providers/provider.ts'
import { withinPrice } from './within-price.ts'

const id = 'acme/model'

function routeOf(name: string, price: Price | undefined): Route {
  const prices = price && new Map([['m', price]])
  const provider = {
    name,
    baseUrl: 'http://x',
    apiKey: undefined,
    speaks: ['chat' as const],
    prices,
  }
  return { id, provider, model: 'm' }
}

const catalogue = { list: async () => new Map() }

const namesWithin = (
  prices: (Price | undefined)[],
  maxPriceUsd: Record<string, number>,
  inputTokens = 10,
) =>
  withinPrice(
    { catalogue },
    {
      routes: prices.map((price, i) => routeOf(`p${i}`, price)),
      requested: id,
      maxPriceUsd,
      inputTokens: () => inputTokens,
    },
  ).then((routes) => routes.map(({ provider }) => provider.name))

const some = fc.integer({ min: 0, max: 20 })

describe('a highest price', () => {
  it('keeps exactly the routes whose known price is not above it, in their order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(fc.record({ input: some, output: some }), { nil: undefined }), {
          minLength: 1,
        }),
        fc.record({ input: some, output: some }, { requiredKeys: [] }),
        async (prices, max) => {
          const fits = (price: Price | undefined) =>
            price !== undefined &&
            price.input <= (max.input ?? Infinity) &&
            price.output <= (max.output ?? Infinity)
          const expected = prices.flatMap((price, i) => (fits(price) ? [`p${i}`] : []))
          const found = await namesWithin(prices, max).catch((error: PlatformError) => error.code)
          expect(found).toEqual(expected.length === 0 ? 'MODEL_TOO_EXPENSIVE' : expected)
        },
      ),
    )
  })

  it('a highest price of a unit counts the most expensive unit of this kind', async () => {
    const units = { 'image low': 0.01, 'image high 1024x1024': 0.2, second: 5 }
    const prices = [
      { input: 0, output: 0, units },
      { input: 0, output: 0, units: { image: 0.1 } },
    ]
    expect(await namesWithin(prices, { image: 0.2 })).toEqual(['p0', 'p1'])
    expect(await namesWithin(prices, { image: 0.19 })).toEqual(['p1'])
  })

  it('counts the price of a long prompt', async () => {
    const long = { above: 1000, input: 2, output: 1.5 }
    const prices = [
      { input: 2, output: 10, long },
      { input: 3, output: 12 },
    ]
    expect(await namesWithin(prices, { input: 3 }, 1000)).toEqual(['p0', 'p1'])
    expect(await namesWithin(prices, { input: 3 }, 1001)).toEqual(['p1'])
  })
})

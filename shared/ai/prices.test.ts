import { expect, it } from 'vitest'
import { planNames, plans } from '../plans/plans.ts'
import { demoModels } from '../demo/models.ts'
import { listPrice } from './cost.ts'
import { taskTypes, tierModels, tierOf } from './models/tiers.ts'
import described from './price-sources.json' with { type: 'json' }
import prices from './prices.json' with { type: 'json' }

const named = new Set([
  ...planNames.flatMap((name) => plans[name].models ?? []),
  ...taskTypes.flatMap((task) => tierModels(tierOf(task))),
  ...demoModels.map(({ id }) => id),
])

it.each([...named])('%s is either priced or listed as unknown on purpose', (id) => {
  const unknown = new Map(Object.entries(prices.unknown)).get(id)
  expect([listPrice(id) !== undefined, unknown !== undefined].filter(Boolean)).toHaveLength(1)
})

it('says of every price where it is from, and when it was read', () => {
  const sources = new Map(Object.entries(described.sources))
  for (const [id, { input, output, source }] of Object.entries(prices.prices)) {
    const { cacheRead = input, cacheWrite = input } = listPrice(id) ?? {}
    expect(cacheRead).toBeLessThanOrEqual(input)
    expect(cacheWrite).toBeGreaterThanOrEqual(input)
    expect(input).toBeGreaterThanOrEqual(0)
    expect(output).toBeGreaterThanOrEqual(input)
    expect(sources.get(source)).toEqual(expect.any(String))
  }
  expect(new Date(prices.read).toISOString().slice(0, 10)).toBe(prices.read)
})

it('has free of charge only what runs on one’s own machine', () => {
  const free = Object.entries(prices.prices).filter(([, { input, output }]) => input * output === 0)
  expect(free.map(([id]) => id)).toEqual(['local/echo'])
})

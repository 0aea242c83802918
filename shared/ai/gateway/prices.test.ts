import { expect, it } from 'vitest'
import setsFile from '#shared/money/plans/model-sets.json' with { type: 'json' }
import { modelSetsOf } from '#shared/money/plans/model-sets.ts'
import modelSources from '#shared/money/plans/model-sources.json' with { type: 'json' }
import { listPrice } from './cost.ts'
import described from './price-sources.json' with { type: 'json' }
import type { DatedPrice } from './price.ts'
import prices from './prices.json' with { type: 'json' }

const sets = modelSetsOf({})
const named = new Set([...sets.all, ...sets.demo])

it('the sets have the sizes of the plans, and each larger set includes the smaller ones', () => {
  const { label = [], solo = [], collective = [] } = sets.plans
  expect([label, solo, collective].map((set) => new Set(set).size)).toEqual([3, 5, 7])
  expect([solo.slice(0, 3), collective.slice(0, 5)]).toEqual([label, solo])
  for (const set of Object.values(sets.tasks)) expect(new Set(set).size).toBe(3)
  expect(new Set(sets.demo).size).toBe(6)
})

it('the list of prices contains the vendor’s source and the date of the price of every model', () => {
  expect(Object.keys(modelSources.models).sort()).toEqual([...named].sort())
  for (const { source, read, prices } of Object.values(modelSources.models)) {
    expect(URL.canParse(source)).toBe(true)
    expect(read <= setsFile.read).toBe(true)
    expect(prices).toMatch(/\d/)
  }
})

it.each([...named])('%s is either priced or listed as unknown on purpose', (id) => {
  const unknown = new Map(Object.entries(prices.unknown)).get(id)
  expect([listPrice(id) !== undefined, unknown !== undefined].filter(Boolean)).toHaveLength(1)
})

it('the list of prices contains the source and the date of every price', () => {
  const sources = new Map(Object.entries(described.sources))
  for (const [id, { input, output, source }] of Object.entries(prices.prices)) {
    const { cacheRead = input, cacheWrite = input, cacheWrite1h = cacheWrite } = listPrice(id) ?? {}
    expect(cacheRead).toBeLessThanOrEqual(input)
    expect(cacheWrite).toBeGreaterThanOrEqual(input)
    expect(cacheWrite1h).toBeGreaterThanOrEqual(cacheWrite)
    // The vendor's rules, as its page states them.
    if (source === 'anthropic')
      expect({ id, cacheWrite1h }).toEqual({ id, cacheWrite1h: 2 * input })
    expect(input).toBeGreaterThanOrEqual(0)
    expect(output).toBeGreaterThanOrEqual(input)
    expect(sources.get(source)).toEqual(expect.any(String))
  }
  expect(new Date(prices.read).toISOString().slice(0, 10)).toBe(prices.read)
})

it('the list of prices has the prices of later days in their order', () => {
  const dated = Object.entries<DatedPrice>(prices.prices).filter(([, { later }]) => later)
  expect(dated.length).toBeGreaterThan(0)
  for (const [id, { later = [] }] of dated) {
    const days = later.map(({ from }) => from)
    expect(days).toEqual(days.map((day) => new Date(day).toISOString().slice(0, 10)).sort())
    for (const { from, ...price } of later)
      expect(listPrice(id, Date.parse(from))).toMatchObject(price)
    const [first = ''] = days
    expect(listPrice(id, Date.parse(first) - 1)?.input).not.toBe(later[0]?.input)
  }
})

it('the list of prices contains the source of every price of the further families', () => {
  const sources = new Map(Object.entries(described.sources))
  for (const [id, { source }] of Object.entries(prices.further)) {
    expect({ id, source: sources.get(source) }).toEqual({ id, source: expect.any(String) })
    expect(listPrice(id)).toMatchObject({ input: expect.any(Number), output: expect.any(Number) })
  }
})

it('the list of prices has a price of every further model of a plan', () => {
  const ids = new Set(Object.values(sets.further).flatMap((set) => set ?? []))
  expect([...ids].filter((id) => listPrice(id) === undefined)).toEqual([])
  expect([...ids].filter((id) => sets.all.has(id))).toEqual([])
})

it('names for every model a price of cached input, or why there is none', () => {
  const priced = Object.keys(prices.prices).filter((id) => listPrice(id)?.cacheRead !== undefined)
  const all = [...priced, ...Object.keys(described.uncached)]
  expect(all.sort()).toEqual(Object.keys(prices.prices).sort())
})

it('the list of prices has no free model except on a local machine', () => {
  const free = Object.entries(prices.prices).filter(([, { input, output }]) => input * output === 0)
  expect(free.map(([id]) => id)).toEqual(['local/echo'])
})

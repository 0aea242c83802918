import { describe, expect, it } from 'vitest'
import { loadConfig } from '#shared/platform/config/load.ts'
import { combineRouting } from './combine.ts'

describe('combined routings', () => {
  it('take order and weights from the first that has either, and the lowest prices', () => {
    const request = { weights: { azure: 1 }, maxPriceUsd: { output: 20 } }
    const key = { order: ['groq'], maxPriceUsd: { output: 10, input: 3 } }
    expect(combineRouting([request, key, { maxPriceUsd: { input: 5 } }])).toEqual({
      weights: { azure: 1 },
      maxPriceUsd: { output: 10, input: 3 },
    })
    expect(combineRouting([undefined, undefined, key])).toEqual(key)
    expect(combineRouting([])).toEqual({})
  })
})

describe('PLAN_ROUTING', () => {
  it('has a routing by plan', () => {
    const PLAN_ROUTING = { solo: { order: ['azure'] }, network: { weights: { azure: 1 } } }
    expect(loadConfig({ PLAN_ROUTING: JSON.stringify(PLAN_ROUTING) })).toMatchObject({
      PLAN_ROUTING,
    })
  })

  it.each(['solo', '[]', '{"free":{}}', '{"solo":{"order":"azure"}}', '{"solo":{"sort":"price"}}'])(
    '%s stops the start with an error that names the setting',
    (PLAN_ROUTING) => {
      expect(() => loadConfig({ PLAN_ROUTING })).toThrow(/^PLAN_ROUTING: must be/)
    },
  )
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Provider, Route } from '../providers/provider.ts'
import { type Ordering, orderRoutes } from './order.ts'
import { drawOf } from './session.ts'

const names = ['router', 'anthropic', 'azure', 'groq']

const provider = (name: string): Provider => ({
  name,
  baseUrl: `http://${name}.test/v1`,
  apiKey: undefined,
  speaks: ['chat'],
})

const routeOf = (id: string, name: string, isOwn = false): Route => ({
  id,
  provider: provider(name),
  model: id,
  ...(isOwn && { own: { listedBy: undefined } }),
})

/** Routes as they come from the choice of models: each model once, a user's own keys before the platform's. */
const someRoutes = fc
  .array(fc.record({ own: fc.subarray(names), platform: fc.shuffledSubarray(names) }), {
    maxLength: 3,
  })
  .map((models) =>
    models.flatMap(({ own, platform }, i) => [
      ...own.map((name) => routeOf(`a/model-${i}`, name, true)),
      ...platform.map((name) => routeOf(`a/model-${i}`, name)),
    ]),
  )

const someNames = fc.uniqueArray(fc.constantFrom(...names, 'unknown'))
const someWeights = fc.dictionary(fc.constantFrom(...names, 'unknown'), fc.nat(10))
const someDraw = fc.func(fc.double({ min: 0, max: 1, minExcluded: true, maxExcluded: true }))
const someOpen = fc.func(fc.boolean())

const keyOf = ({ id, provider: { name }, own }: Route) => `${id} ${name} ${own !== undefined}`

interface Scene {
  routes: Route[]
  order: string[]
  weights: Record<string, number>
  isOpen(key: string): boolean
  draw(provider: string): number
}

const someScene: fc.Arbitrary<Scene> = fc.record({
  routes: someRoutes,
  order: someNames,
  weights: someWeights,
  isOpen: someOpen,
  draw: someDraw,
})

const ordered = ({ routes, isOpen, ...rest }: Scene) =>
  orderRoutes(routes, { ...rest, isOpen: (route) => isOpen(keyOf(route)) })

/** Returns the groups within which routes may change places. */
const groups = (routes: readonly Route[]) =>
  Map.groupBy(routes, ({ id, own }) => `${id} ${own !== undefined}`)

describe('the order of routes', () => {
  it('never adds and never loses a route, and keeps models and own keys in their order', () => {
    fc.assert(
      fc.property(someScene, (scene) => {
        const result = ordered(scene)
        expect(result.map(keyOf).sort()).toEqual(scene.routes.map(keyOf).sort())
        const places = (routes: Route[]) =>
          routes.map(({ id, own }) => `${id} ${own !== undefined}`)
        expect(places(result)).toEqual(places(scene.routes))
      }),
    )
  })

  it('does not change without preferences and failures', () => {
    fc.assert(
      fc.property(someRoutes, someDraw, (routes, draw) => {
        expect(orderRoutes(routes, { isOpen: () => false, draw })).toEqual(routes)
        expect(orderRoutes(routes, { isOpen: () => true, draw })).toEqual(routes)
      }),
    )
  })

  it('tries routes that failed last, then prefers the order, then weights', () => {
    fc.assert(
      fc.property(someScene, (scene) => {
        const rank = (route: Route) => {
          const { name } = route.provider
          const place = scene.order.indexOf(name)
          if (scene.isOpen(keyOf(route))) return 100
          if (place !== -1) return place
          return Object.hasOwn(scene.weights, name) && Number(scene.weights[name]) > 0 ? 50 : 60
        }
        for (const group of groups(ordered(scene)).values()) {
          const ranks = group.map(rank)
          expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
        }
      }),
    )
  })

  it('is the same for the same session in every process', () => {
    fc.assert(
      fc.property(someScene, fc.string({ minLength: 1 }), (scene, session) => {
        const run = () => ordered({ ...scene, draw: drawFor(session) })
        expect(run()).toEqual(run())
      }),
    )
  })
})

const draws = 4000
/** Six standard deviations of a share, so that a right distribution practically never fails. */
const tolerance = 6 * Math.sqrt(0.25 / draws)

const threeWeights = fc.tuple(
  ...names.slice(0, 3).map((name) => fc.tuple(fc.constant(name), fc.integer({ min: 1, max: 9 }))),
)

const firstOf = (weights: Ordering['weights'], draw: Ordering['draw'], given = names) =>
  orderRoutes(
    given.map((name) => routeOf('a/model', name)),
    { ...(weights && { weights }), isOpen: () => false, draw },
  )[0]?.provider.name ?? ''

function expectShares(weights: Record<string, number>, drawAt: (i: number) => Ordering['draw']) {
  const counts = new Map<string, number>()
  for (let i = 0; i < draws; i++) {
    const first = firstOf(weights, drawAt(i))
    counts.set(first, (counts.get(first) ?? 0) + 1)
  }
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0)
  for (const [name, weight] of Object.entries(weights))
    expect(Math.abs((counts.get(name) ?? 0) / draws - weight / total)).toBeLessThan(tolerance)
}

function drawFor(session: string) {
  const caller = { userId: 'usr_1', agentId: null }
  return drawOf({ caller, header: session, modelCall: { messages: () => [] } })
}

describe('weights', () => {
  it('are the shares of calls', () => {
    fc.assert(
      fc.property(threeWeights, (pairs) => {
        expectShares(Object.fromEntries(pairs), () => Math.random)
      }),
      { numRuns: 5 },
    )
  })

  it('are the shares of sessions', () => {
    fc.assert(
      fc.property(threeWeights, fc.string(), (pairs, seed) => {
        expectShares(Object.fromEntries(pairs), (i) => drawFor(`${seed} ${i}`))
      }),
      { numRuns: 5 },
    )
  })

  it('move only the sessions of a provider that is gone', () => {
    const weights = { router: 1, anthropic: 2, azure: 3 }
    for (let i = 0; i < 200; i++) {
      const draw = drawFor(`session ${i}`)
      const before = firstOf(weights, draw)
      const after = firstOf(weights, draw, ['router', 'anthropic', 'groq'])
      if (before !== 'azure') expect(after).toBe(before)
      else expect(['router', 'anthropic']).toContain(after)
    }
  })
})

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { PlatformError } from '#shared/platform/errors.ts'
import { doorOf } from '#tests/support/http/guarded-route.ts'
import { allRoutes } from '#tests/support/http/routes.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { anonymousLimitsOf, acceptsAnonymous } from './limits-of.ts'

let db: TestTable
beforeAll(async () => {
  db = await startTestTable()
  // Every request of a test is in the same minute.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterAll(async () => {
  vi.useRealTimers()
  await db.close()
})

const door = (...given: Parameters<typeof doorOf> extends [unknown, ...infer R] ? R : never) =>
  doorOf(db.table, ...given)

let addresses = 0
const newAddress = () => `203.0.113.${++addresses}`

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const all = await allRoutes()
const open = all.filter(({ route }) => acceptsAnonymous(route) && route.unlimited === undefined)

describe('requests of one address without sign-in', () => {
  it.each(open)(
    'requests of one address without sign-in to $name are rejected above the limit, but not from other addresses',
    async (one) => {
      const unknown = () => {
        throw new PlatformError('unauthorized', 'Unauthorized')
      }
      const ask = door(one, one.route.limitedBy === 'handler' ? unknown : undefined)
      const from = newAddress()
      const max = Math.min(
        ...anonymousLimitsOf(one.surface, one.route).map(({ perMinute }) => perMinute),
      )
      const answers = await Promise.all(Array.from({ length: max + 1 }, () => ask(from)))
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
      expect((await ask(newAddress())).status).not.toBe(429)
      if (one.route.guard.startsWith('optional')) {
        expect((await ask(from, bearer('sk_good'))).status).toBe(200)
        expect((await ask(from, { cookie: 'service-session=good' })).status).toBe(200)
      }
    },
  )
})

describe('unknown keys', () => {
  const cases = (['session', 'user-key', 'internal-or-user', 'internal-user-or-agent'] as const)
    .map((guard) => [guard, 'sk_good', 'sk_bad', 300] as const)
    .concat([['agent', 'ak_good', 'ak_bad', 60] as never])

  it.each(cases)(
    'unknown keys at a route with the guard %s are rejected by address, but not with a valid key',
    async (guard, good, bad, max) => {
      const found = all.find(({ route, surface }) => route.guard === guard && surface !== 'web')
      const one = found ?? all.find(({ route }) => route.guard === guard)!
      const ask = door(one)
      const from = newAddress()
      const guesses = await Promise.all(
        Array.from({ length: max + 1 }, (_, i) => ask(from, bearer(`${bad}${i}`))),
      )
      const statuses = new Set(guesses.map(({ status }) => status))
      expect(statuses).toEqual(new Set([401, 429]))
      expect((await ask(from, bearer(good))).status).toBe(200)
    },
  )

  it('are counted neither for the platform’s own key nor for other callers', async () => {
    const ask = door(all.find(({ route }) => route.guard === 'internal')!)
    const from = newAddress()
    await Promise.all(Array.from({ length: 120 }, () => ask(from)))
    expect((await ask(from)).status).toBe(429)
    expect((await ask(from, bearer('internal'))).status).toBe(200)
  })
})

it('a known caller is not rejected because of others at its address, and has its own limit', async () => {
  const heartbeat = all.find(({ route }) => route.name === 'installations.heartbeat')!
  let name: string | undefined = 'installation-usr_1'
  const ask = door(heartbeat, async ({ countFor }) => {
    await countFor(name)
    return {}
  })
  const from = newAddress()
  const burst = (n: number) => Promise.all(Array.from({ length: n }, () => ask(from)))
  const refusedOf = (answers: Response[]) => answers.filter(({ status }) => status === 429).length
  expect(refusedOf(await burst(100))).toBe(0)
  name = undefined
  expect(refusedOf(await burst(121))).toBeGreaterThan(0)
  name = 'installation-usr_2'
  expect(refusedOf(await burst(1))).toBe(0)
  expect(refusedOf(await burst(121))).toBeGreaterThan(0)
})

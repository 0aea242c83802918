import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openSlot } from '#shared/platform/slots/open.ts'
import { openRows } from '#shared/platform/slots/rows.ts'
import { doorOf } from '#tests/support/http/guarded-route.ts'
import { allRoutes } from '#tests/support/http/routes.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { unbuffered } from '../event-stream.ts'

let db: TestTable
beforeAll(async () => {
  db = await startTestTable()
})
afterAll(() => db.close())

const reservations = (await allRoutes()).filter(({ route }) => route.open !== undefined)

/** The limits of contract.md 20, and the one of token counts, which the contract does not name. */
const promised: Record<string, number> = {
  'log-streams': 20,
  turns: 20,
  'turn-streams': 20,
  'swarm-runs': 20,
  audits: 5,
  demo: 10,
  pages: 10,
  pay: 10,
  'paid-answers': 20,
  'token-counts': 20,
}

it('every kind of long request has its limit of open requests', () => {
  const caps = reservations.map(({ route: { open } }) => [open!.kind, open!.most])
  expect(Object.fromEntries(caps)).toEqual(promised)
})

describe('the limit of open requests', () => {
  it.each(reservations)(
    'the limit of open requests for $name accepts as many requests, and one more after one ends',
    async (one) => {
      const { open } = one.route
      const stream = () => new Response(new ReadableStream(), { headers: unbuffered })
      const ask = doorOf(db.table, one, stream, 'off')
      const isOpen = one.route.guard === 'none'
      const internal = one.route.guard === 'internal'
      const bearer = internal ? 'internal' : one.route.guard === 'agent' ? 'ak_good' : 'sk_good'
      const from = `198.51.100.${reservations.indexOf(one)}`
      const as = (key: string) =>
        ask(
          from,
          isOpen
            ? {}
            : { authorization: `Bearer ${key}`, ...(internal && { 'x-user-id': 'usr_i' }) },
        )
      await db.table.delete(openRows.key({ kind: open!.kind, holder: 'user-usr_1' }))
      const answers = await Promise.all(Array.from({ length: open!.most }, () => as(bearer)))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      const refused = await as(bearer)
      expect([refused.status, await refused.json()]).toEqual([
        429,
        { error: expect.any(String), code: 'TOO_MANY_OPEN' },
      ])
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
      if (isOpen) expect((await ask('203.0.113.77')).status).toBe(200)
      await answers[0]!.body!.cancel()
      expect((await as(bearer)).status).toBe(200)
      expect((await as(bearer)).status).toBe(429)
      await Promise.all(answers.slice(1).map(({ body }) => body!.cancel()))
    },
  )
})

describe('a slot', () => {
  const limit = { kind: 'test', most: 2, what: 'tests' }
  const take = (holder: string) => openSlot(db.table, limit, holder)

  it('a slot of a killed process is free within 75 seconds, but a renewed slot is not', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: Date.now() })
    try {
      // A killed process renews no slots.
      const renewals = vi.spyOn(globalThis, 'setInterval').mockReturnValueOnce(0 as never)
      await take('killed')
      renewals.mockRestore()
      const stored = await take('killed')
      await expect(take('killed')).rejects.toMatchObject({ code: 'TOO_MANY_OPEN' })
      const key = openRows.key({ kind: limit.kind, holder: 'killed' })
      for (let passed = 0; passed < 80; passed += 20) {
        vi.advanceTimersByTime(20_000)
        const isRenewed = async () => {
          const row = openRows.parse((await db.table.get(key))!)
          const until = Object.keys(row).map((name) => Number(/^held_(\d+)$/.exec(name)?.[1] ?? 0))
          return Math.max(...until) * 1000 >= Date.now() + 45_000
        }
        await vi.waitUntil(isRenewed, { timeout: 15_000 })
      }
      const again = await take('killed')
      await expect(take('killed')).rejects.toMatchObject({ code: 'TOO_MANY_OPEN' })
      await Promise.all([stored.release(), again.release()])
    } finally {
      vi.useRealTimers()
    }
  })

  it('is reached by concurrent requests but never exceeded, and all slots are released', async () => {
    for (let round = 0; round < 3; round++) {
      const received = await Promise.allSettled(Array.from({ length: 12 }, () => take('crowd')))
      const slots = received.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      expect(slots).toHaveLength(2)
      await Promise.all(slots.flatMap((slot) => [slot.release(), slot.release()]))
    }
  })
})

import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { startTestTable } from '#tests/support/platform/table.ts'
import { amountWithin } from './check.ts'
import { type Hold, holdParts, readPayer, returnParts } from './hold.ts'
import { type Mandate, mandateKey } from './mandate.ts'
import { mandateRows } from './rows.ts'

let table: Table
let close: () => Promise<void>

beforeAll(async () => {
  ;({ table, close } = await startTestTable())
})
afterAll(() => close())

const usd = (micro: number) => (micro / 1_000_000).toFixed(6)

/** An agent with its mandate, and the holds that count. */
function startAgent() {
  const ref = { userId: 'usr_1', agentId: newId('agt') }
  const open: Hold[] = []
  const limits = { payment: 0, day: 0, month: 0 }
  const mandateNow = (): Mandate => ({
    perPaymentUsd: usd(limits.payment),
    perDayUsd: usd(limits.day),
    perMonthUsd: usd(limits.month),
    hosts: null,
    payees: null,
    askAboveUsd: null,
    validUntil: null,
    revision: newSeed(),
  })
  let mandate = mandateNow()
  return {
    open,
    limits,
    ref,
    async set(change: Partial<typeof limits>) {
      Object.assign(limits, change)
      mandate = mandateNow()
      await table.put({ ...mandateRows.attributes(mandate), ...mandateKey(ref) })
    },
    /** @returns whether the amount is held */
    async hold(microUsd: number, at: string): Promise<boolean> {
      const asked = { microUsd: BigInt(microUsd) }
      const hold = { ...ref, microUsd, at }
      try {
        amountWithin(mandate, asked)
      } catch {
        return false
      }
      const refusals = await tryCommit(table, holdParts(hold, mandate, undefined))
      if (refusals === undefined) open.push(hold)
      return refusals === undefined
    },
    async give(index: number) {
      const [hold] = open.splice(index % open.length, 1)
      if (hold !== undefined) await tryCommit(table, returnParts(hold, false))
    },
    sum: (at: string, length: number) =>
      open
        .filter((hold) => hold.at.slice(0, length) === at.slice(0, length))
        .reduce((sum, { microUsd }) => sum + microUsd, 0),
  }
}

const days = ['2026-11-29', '2026-11-30', '2026-12-01'].map((day) => `${day}T12:00:00.000Z`)
const amount = fc.integer({ min: 1, max: 40 })
const limit = fc.integer({ min: 0, max: 100 })

const step = fc.oneof(
  fc.record({
    kind: fc.constant('holds' as const),
    amounts: fc.array(amount, { minLength: 1, maxLength: 4 }),
    day: fc.constantFrom(...days),
  }),
  fc.record({ kind: fc.constant('return' as const), index: fc.nat(20) }),
  fc.record({ kind: fc.constant('limits' as const), payment: limit, day: limit, month: limit }),
)

it('no order of holds, returns and changes of the mandate exceeds a limit by a millionth of a dollar', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const agent = startAgent()
      await agent.set({ payment: 30, day: 60, month: 90 })
      for (const one of steps) {
        if (one.kind === 'limits')
          await agent.set({ payment: one.payment, day: one.day, month: one.month })
        if (one.kind === 'return' && agent.open.length > 0) await agent.give(one.index)
        if (one.kind !== 'holds') continue
        const { amounts, day } = one
        // All of them at the same time.
        const held = await Promise.all(amounts.map((micro) => agent.hold(micro, day)))
        const [ofDay, ofMonth] = [agent.sum(day, 10), agent.sum(day, 7)]
        const fits = (micro: number) =>
          micro <= agent.limits.payment &&
          ofDay + micro <= agent.limits.day &&
          ofMonth + micro <= agent.limits.month
        if (held.includes(true)) {
          expect(ofDay).toBeLessThanOrEqual(agent.limits.day)
          expect(ofMonth).toBeLessThanOrEqual(agent.limits.month)
        }
        // Nothing is refused that would fit.
        for (const [i, isHeld] of held.entries())
          if (!isHeld) expect(fits(amounts[i] ?? 0)).toBe(false)
        expect((await readPayer(table, { ...agent.ref, at: day })).use).toEqual({
          day: BigInt(ofDay),
          month: BigInt(ofMonth),
        })
      }
    }),
    { numRuns: 40 },
  )
})

it('a hold and a return at the same time leave the exact sum', async () => {
  const agent = startAgent()
  const [day = ''] = days
  await agent.set({ payment: 10, day: 100, month: 100 })
  for (let i = 0; i < 10; i++) await agent.hold(10, day)
  expect(await agent.hold(1, day)).toBe(false)
  const held = await Promise.all([
    agent.give(0),
    agent.hold(10, day),
    agent.give(0),
    agent.hold(10, day),
    agent.hold(10, day),
  ])
  expect(held.filter((one) => one === true).length).toBeLessThanOrEqual(2)
  const sum = BigInt(agent.sum(day, 10))
  expect(sum).toBeLessThanOrEqual(100n)
  expect((await readPayer(table, { ...agent.ref, at: day })).use).toEqual({ day: sum, month: sum })
})

it('a hold under a mandate that has changed is refused', async () => {
  const agent = startAgent()
  const [at = ''] = days
  await agent.set({ payment: 10, day: 10, month: 10 })
  await table.put({
    ...mandateRows.attributes({
      perPaymentUsd: '0',
      perDayUsd: '0',
      perMonthUsd: '0',
      hosts: null,
      payees: null,
      askAboveUsd: null,
      validUntil: null,
      revision: 'other',
    }),
    ...mandateKey(agent.ref),
  })
  expect(await agent.hold(1, at)).toBe(false)
})

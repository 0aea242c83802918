import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { userRows } from '#shared/accounts/users/rows.ts'
import { creditRows } from '#shared/money/ledger/rows.ts'
import { createLog } from '#shared/platform/log.ts'
import { type Billing, startBilling } from '#tests/support/billing/billing.ts'
import { completed, sessionOf } from '#tests/support/billing/payment-events.ts'
import { readMetrics } from '#tests/support/platform/metric-format.ts'
import { checkBalances } from './balances.ts'

vi.hoisted(() => vi.stubEnv('PLATFORM_STAGE', 'production'))

let billing: Billing

beforeAll(async () => {
  billing = await startBilling()
})
afterAll(() => billing.close())

const logged: Record<string, unknown>[] = []

/** A user who has bought 200 credits three times. */
async function buyer() {
  const user = await billing.newUser()
  const order = async () =>
    completed(sessionOf(await billing.order(user.session, { action: 'buy-credits', pack: 200 })))
  for (let packs = 0; packs < 3; packs++) await billing.deliver(await order())
  return { ...user, order }
}

/** Concurrent requests write log lines too. */
const found = () => logged.filter(({ LedgerDifferences }) => LedgerDifferences !== undefined)

/** @returns the fault of each user */
async function faults(): Promise<Record<string, unknown>> {
  logged.length = 0
  const spy = vi
    .spyOn(console, 'log')
    .mockImplementation((line: string) => void logged.push(JSON.parse(line)))
  const log = createLog({ function: 'reconciliation' })
  const { ledgerDifferences } = await checkBalances({ table: billing.table, log })
  spy.mockRestore()
  expect(found()).toHaveLength(ledgerDifferences)
  return Object.fromEntries(found().map(({ userId, fault }) => [userId, fault]))
}

const second = (userId: string) => creditRows.key({ userId, number: '0000000002' })

it('reports every balance that differs from the sum of its postings, and no other', async () => {
  await buyer()
  const [negative, high, gap, changed, cut] = [
    await buyer(),
    await buyer(),
    await buyer(),
    await buyer(),
    await buyer(),
  ]
  expect(await faults()).toEqual({})
  await billing.give(negative.id, { creditMicroUsd: -1 })
  await billing.give(high.id, { creditMicroUsd: 60_000_001 })
  await billing.table.delete(second(gap.id))
  await billing.table.update(second(changed.id), { set: { microUsd: 20_000_001 } })
  await billing.table.delete(creditRows.key({ userId: cut.id, number: '0000000003' }))
  const expected = {
    [negative.id]: 'negative',
    [high.id]: 'balance',
    [gap.id]: 'gap',
    [changed.id]: 'posting',
    [cut.id]: 'gap',
  }
  expect(await faults()).toEqual(expected)
  for (const line of found())
    expect(readMetrics(line)).toMatchObject({
      dimensions: [{ function: 'reconciliation' }],
      figures: { LedgerDifferences: 1 },
    })

  // A negative balance is not reset, and each posting to it logs an error.
  const spy = vi
    .spyOn(console, 'log')
    .mockImplementation((line: string) => void logged.push(JSON.parse(line)))
  expect((await billing.deliver(await negative.order()))[0]).toBe(200)
  spy.mockRestore()
  const line = logged.find((one) => one.NegativeBalances !== undefined)
  expect(line).toMatchObject({ level: 'error', userId: negative.id, creditMicroUsd: -1 })
  expect(readMetrics(line ?? {}).dimensions).toEqual([{ ledger: 'credits' }])
  expect(await billing.read(negative.id)).toMatchObject({ creditMicroUsd: 19_999_999 })
})

it('reports nothing while credits are posted, nor for balances older than the ledger', async () => {
  const before = await faults()
  const old = await billing.newUser()
  // The first version of the row: whole credits, and no postings.
  const key = userRows.key({ userId: old.id })
  const credits = { credits: 30 }
  await billing.table.update(key, { set: credits, remove: ['creditMicroUsd', 'entityVersion'] })
  const order = await billing.order(old.session, { action: 'buy-credits', pack: 50 })
  await billing.deliver({ ...completed(sessionOf(order)), id: `evt_${randomUUID()}` })
  expect(await billing.read(old.id)).toMatchObject({ creditMicroUsd: 8_000_000 })
  const busy = await buyer()
  const orders = [await busy.order(), await busy.order(), await busy.order()]
  const posting = Promise.all(orders.map((order) => billing.deliver(order)))
  expect(await faults()).toEqual(before)
  await posting
  expect(await faults()).toEqual(before)
})

import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { cancelUnwanted } from '#shared/billing/payments/cancel-unwanted.ts'
import { createLog } from '#shared/platform/log.ts'
import { lifeOf } from '#tests/faults/world/perish.ts'
import { randomFrom } from '#tests/faults/world/random.ts'
import { type Billing, startBilling } from '#tests/support/billing/billing.ts'
import { completed, sessionOf } from '#tests/support/billing/payment-events.ts'

let billing: Billing

beforeAll(async () => {
  billing = await startBilling()
})
afterEach(() => vi.useRealTimers())
afterAll(() => billing.close())

/** Services of a process that is killed at one of its external calls, before or after its effect. */
function doomed(seed: number) {
  const reach = lifeOf(randomFrom(seed), true)
  const { table, queues, provider } = billing.services
  if (provider === undefined) throw new Error('the tests have a provider')
  return { table: reach(table), queues: reach(queues), provider: reach(provider) }
}

const seeds = Array.from({ length: 40 }, (_, seed) => seed + 1)
const pack = { action: 'buy-credits', pack: 200 }
const solo = { action: 'create-checkout', plan: 'solo' }

const see = async (path: string, session: string) =>
  (await billing.web('GET', path, { session }))[1]

it.each(seeds)('a purchase whose processes are killed is granted once (%i)', async (seed) => {
  const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
  const { id, session } = await billing.newUser()
  const headers = { 'idempotency-key': randomUUID() }
  const life = billing.startProcess(doomed(seed))
  const sold = () => billing.provider.callsOf('POST /v1/checkout/sessions')
  const before = sold().length
  const tried = await life.web('POST', '/api/billing', { session, body: pack, headers })
  // The idempotency key of a dead process is free again after the function's timeout.
  vi.setSystemTime(Date.now() + 31_000)
  const again = () => billing.web('POST', '/api/billing', { session, body: pack, headers })
  const [status, { url }] = tried[0] === 200 ? tried : await again()
  expect(status).toBe(200)
  // Both attempts request the checkout of the same order; the provider creates one.
  const requests = sold().slice(before)
  expect(new Set(requests.map(({ form }) => form['metadata[order]'])).size).toBe(1)

  const order = { sessionId: String(url).split('/').at(-1) ?? '', form: requests[0]?.form ?? {} }
  const event = { ...completed(sessionOf(order)), id: `evt_${randomUUID()}` }
  await billing.told()
  const first = await billing.startProcess(doomed(seed + 1000)).deliver(event)
  if (first[0] !== 200) expect(await billing.deliver(event)).toEqual([200, { received: true }])
  expect(await see('/api/credits', session)).toMatchObject({ credits: 200 })
  expect(await billing.told()).toContain(id)
  lines.mockRestore()
})

it.each(seeds)('one of two plans is kept, even if processes are killed (%i)', async (seed) => {
  const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
  const { id, session } = await billing.newUser()
  const paid = []
  for (const plan of ['solo', 'network'])
    paid.push(sessionOf(await billing.order(session, { ...solo, plan })))
  const at = Math.floor(Date.now() / 1000)
  const [first, second] = paid.map(({ subscription }) => String(subscription))
  billing.provider.subscriptions.set(String(first), { id: first })
  billing.provider.subscriptions.set(String(second), { id: second })
  for (const [i, object] of paid.entries()) {
    const event = { ...completed(object, at + i), id: `evt_${randomUUID()}` }
    const [status] = await billing.startProcess(doomed(seed + i * 1000)).deliver(event)
    if (status !== 200) await billing.deliver(event)
  }
  const services = { ...billing.services, log: createLog({ function: 'test' }) }
  await cancelUnwanted({ ...services, ...doomed(seed) }, { userId: id }).catch(() => {})
  await billing.cancelUnwanted(id)
  expect(await see('/api/billing', session)).toMatchObject({
    currentPlan: 'network',
    subscriptionStatus: 'active',
  })
  expect(billing.provider.subscriptions.has(String(first))).toBe(false)
  expect(billing.provider.subscriptions.has(String(second))).toBe(true)
  lines.mockRestore()
})

import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { claim } from './record.ts'
import { idempotencyRows } from './rows.ts'

let database: TestTable
/** Loses the response to every first write and repeats the write, as DynamoDB's client does. */
let lossy: Table

beforeAll(async () => {
  database = await startTestTable()
  const { table } = database
  lossy = {
    ...table,
    update: async (key, update) => {
      await table.update(key, update)
      return table.update(key, update)
    },
  }
})
afterAll(() => database.close())
afterEach(() => void vi.useRealTimers())

const request = (key: string, seed = newSeed()) => ({
  actor: 'user:1',
  key,
  request: 'GET /',
  seed,
  lockMs: 30_000,
  log: createLog(),
})

it('a claim whose response was lost is recognised only by its claimant', async () => {
  const seed = newSeed()
  expect(await claim(lossy, request('lost', seed))).toMatchObject({ seed })
  await expect(claim(database.table, request('lost'))).rejects.toMatchObject({
    code: 'IDEMPOTENCY_IN_PROGRESS',
  })
})

it('a retry’s claim is recognised too, and continues with the seed of the first', async () => {
  const seed = newSeed()
  const first = await claim(database.table, request('again', seed))
  if (first instanceof Response) throw new Error('nothing was asked before')
  await first.finish(new Response('', { status: 500 }))
  expect(await claim(lossy, request('again'))).toMatchObject({ seed })
})

const day = 86_400_000

async function taken(key: string, at: number, seed?: string) {
  const claimed = await claim(database.table, request(key, seed), at)
  if (claimed instanceof Response) throw new Error(`answered ${claimed.status}`)
  return claimed
}

it('a claim of a killed process is free when its lease ends, neither before nor later', async () => {
  const now = Date.now()
  const { seed } = await taken('died', now)
  const late = claim(database.table, request('died'), now + 29_999)
  await expect(late).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' })
  expect(await taken('died', now + 30_000)).toMatchObject({ seed })
})

it('a key can be used for another request after a day, even if its row still exists', async () => {
  // The row has expired, but the table has not removed it yet.
  const now = Date.now()
  const first = await taken('old', now)
  await first.finish(Response.json({ first: true }, { status: 201 }))
  const replayed = await claim(database.table, request('old'), now + day - 1000)
  expect(replayed).toMatchObject({ status: 201 })
  const other = { ...request('old'), request: 'POST /other' }
  const again = await claim(database.table, other, now + day)
  expect(again).toMatchObject({ seed: other.seed })
  expect(other.seed).not.toBe(first.seed)
  // The expired response cannot be replayed.
  await expect(
    claim(database.table, { ...other, seed: newSeed() }, now + day + 1000),
  ).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' })
})

it('an expired key and an abandoned one are each claimed by one of many concurrent requests', async () => {
  const now = Date.now()
  for (const finished of [true, false]) {
    const key = `many ${finished}`
    const first = await taken(key, now)
    if (finished) await first.finish(Response.json({}))
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => claim(database.table, request(key), now + day)),
    )
    const won = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(won).toHaveLength(1)
    expect(won[0]).not.toMatchObject({ seed: first.seed })
  }
})

it('a request that may run longer than its lease keeps its key until it ends, but not after a kill', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: Date.now() })
  const long = { ...request('long'), lockMs: 900_000 }
  const first = await claim(database.table, long)
  if (first instanceof Response) throw new Error('nothing was asked before')
  const row = async () => {
    const item = await database.table.get(
      idempotencyRows.key({ actor: long.actor, keyHash: await sha256Hex(long.key) }),
    )
    return idempotencyRows.parse(item!)
  }
  const began = Date.now()
  for (const renewed of [1, 2, 3, 4]) {
    vi.advanceTimersByTime(10_000)
    const until = (began + renewed * 10_000 + 30_000) / 1000
    await vi.waitUntil(async () => (await row()).lockedUntil >= until, { timeout: 30_000 })
  }
  const late = claim(database.table, request('long'))
  await expect(late).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' })
  vi.clearAllTimers()
  const { lockedUntil } = await row()
  expect(await taken('long', lockedUntil * 1000)).toMatchObject({ seed: first.seed })
})

it('a finished request renews nothing', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const first = await claim(database.table, { ...request('ended'), lockMs: 900_000 })
  if (first instanceof Response) throw new Error('nothing was asked before')
  await first.finish(Response.json({ error: 'Full' }, { status: 429 }))
  expect(vi.getTimerCount()).toBe(0)
})

it.each([
  [409, 'AGENT_NOT_RUNNING', true],
  [409, undefined, true],
  [409, 'CANCELLED', false],
  [404, undefined, false],
  [429, 'QUOTA_EXCEEDED', true],
  [503, undefined, true],
])('after %i %s a key is free: %s', async (status, code, isFree) => {
  const name = `${status} ${code}`
  const { seed, finish } = await taken(name, Date.now())
  await finish(Response.json({ code }, { status }), code)
  const again = await claim(database.table, request(name))
  if (isFree) expect(again).toMatchObject({ seed })
  else expect(again).toMatchObject({ status })
})

it('a request that lost its key to a retry neither releases it nor stores its answer', async () => {
  const began = Date.now()
  const slow = await taken('overtaken', began)
  const retry = await taken('overtaken', began + 31_000)
  await slow.finish(new Response('', { status: 500 }))
  await expect(claim(database.table, request('overtaken'))).rejects.toMatchObject({
    code: 'IDEMPOTENCY_IN_PROGRESS',
  })
  await retry.finish(Response.json({ by: 'retry' }, { status: 201 }))
  await slow.finish(Response.json({ by: 'slow' }))
  expect(await claim(database.table, request('overtaken'))).toMatchObject({ status: 201 })
})

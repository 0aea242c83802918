import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { startTestTable } from '#tests/support/platform/table.ts'
import { markDue, entitlementsDue } from './due.ts'
import { storeAccess, recordProcessed } from './record.ts'
import { tickEntitlements } from './tick.ts'

let database: Awaited<ReturnType<typeof startTestTable>>
let table: Table

beforeAll(async () => {
  database = await startTestTable()
  table = database.table
})
afterAll(() => database.close())

const now = Date.UTC(2026, 0, 1)
const day = 86_400_000

/** Returns the users that a tick sends a message for. */
async function due(at: number): Promise<string[]> {
  const sent: string[] = []
  const queues: Queues<'entitlements'> = {
    send: () => Promise.reject(new Error('one by one')),
    sendAll: async (_, bodies) => {
      for (const body of bodies) sent.push((body as { userId: string }).userId)
    },
  }
  const round = await tickEntitlements({ table, queues }, at)
  expect(round).toEqual({ due: sent.length })
  return sent.toSorted()
}

it('finds requested work until it is recorded as done, and later work on its day', async () => {
  const users = Array.from({ length: 40 }, (_, i) => `usr_${i}`)
  for (const userId of users) await table.transact([entitlementsDue(userId, now)])
  expect(await due(now - 1)).toEqual([])
  expect(await due(now)).toEqual(users.toSorted())
  expect(await due(now)).toHaveLength(40)
  for (const [i, userId] of users.entries()) {
    const noted = await storeAccess(table, { userId, access: 'open' }, now)
    const at = i === 7 ? now + day : null
    await recordProcessed(table, { seen: noted, told: {}, at }, now)
  }
  expect(await due(now + day - 1)).toEqual([])
  expect(await due(now + day)).toEqual(['usr_7'])
})

it('work that is requested during a job stays due', async () => {
  await table.transact([entitlementsDue('usr_busy', now)])
  const observed = await storeAccess(table, { userId: 'usr_busy', access: 'open' }, now)
  await markDue(table, 'usr_busy', now)
  await recordProcessed(table, { seen: observed, told: {}, at: null }, now)
  expect(await due(now)).toEqual(['usr_busy'])
})

it('nothing is recorded for a user without work', async () => {
  await markDue(table, 'usr_unknown', now)
  expect(await due(now + day)).not.toContain('usr_unknown')
})

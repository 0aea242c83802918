import { afterAll, beforeAll, expect, it } from 'vitest'
import { readPlatformDays } from '#shared/ai/usage/platform-days/read.ts'
import { dayOf } from '#shared/platform/days.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import type { LogFields } from '#shared/platform/log.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { eventContext } from '#tests/support/platform/context.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { tick } from './maintenance.ts'

let database: TestTable

beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

const noQueues = {
  send: () => Promise.reject(new Error('it sends no messages')),
  sendAll: () => Promise.reject(new Error('it sends no messages')),
}

/** Runs a tick over a table whose queries of an index fail, or all its other queries. */
async function run(isFailing: (index: string | undefined) => boolean) {
  const { table } = database
  const published: LogFields[] = []
  const write = (_: string, fields: LogFields = {}) => void published.push(fields)
  const query: typeof table.query = async (input) => {
    if (isFailing(input.index)) throw new Error('the query failed')
    return table.query(input)
  }
  const ended = await tick({
    table: { ...table, query },
    log: { info: write, warn: write, error: write },
    queues: noQueues,
    scheduledAt: Date.now(),
  }).catch((error: Error) => error.message)
  const year = { from: dayOf(Date.now() - 365 * 86_400_000), to: dayOf(Date.now()) }
  const days = await readPlatformDays(table, year, { consistent: true })
  return { ended, published: published.length, days: days.length }
}

it('an error of one part does not stop the other, and ends the tick', async () => {
  const change = { userId: 'usr_a', target: 'evt_1' }
  const entry = await audit(eventContext(database.table), 'credits.granted', change)
  await commit(database.table, { entry })
  const headsFail = await run((index) => index !== undefined)
  expect(headsFail).toEqual({ ended: 'the query failed', published: 0, days: 31 })
  const daysFail = await run((index) => index === undefined)
  expect(daysFail).toEqual({ ended: 'the query failed', published: 1, days: 31 })
  expect((await run(() => false)).ended).toEqual({ published: 0, days: 31 })
  expect((await run(() => true)).ended).toBe('2 steps failed')
})

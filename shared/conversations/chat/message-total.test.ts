import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Query, Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { countWrite } from './message-count.ts'
import { messageTotal } from './message-total.ts'
import { recountDays } from './recount.ts'

const day = 86_400_000
const now = Date.parse('2026-11-23T12:00:00Z')

let db: TestTable
/** The number of rows that each query returned. */
let brought: number[] = []
let table: Table
beforeAll(async () => {
  db = await startTestTable()
  table = {
    ...db.table,
    query: async (query: Query) => {
      const page = await db.table.query(query)
      brought.push(page.items.length)
      return page
    },
  }
})
afterAll(() => db.close())

let users = 0

/** Creates a user who talked to two agents on each of the last hundred days, with the daily counts. */
async function talkative() {
  const store = userStore(table, `usr_talks${users++}`)
  const say = (agentId: string, at: number) =>
    store.transact([
      countWrite(store, { agentId, sender: 'user', timestamp: new Date(at).toISOString() }),
    ])
  for (let back = 0; back < 100; back++)
    for (const agentId of ['agt_a', 'agt_b']) await say(agentId, now - back * day)
  const total = async (agentId: string, at = now) => {
    brought = []
    const { asked } = await messageTotal(store, { agentId }, at)
    return { asked, rows: brought.reduce((sum, rows) => sum + rows, 0) }
  }
  return { store, say, total }
}

describe('the number of messages', () => {
  it('is read from the last days after earlier days are summed up', async () => {
    const { say, total } = await talkative()
    expect(await total('agt_a')).toEqual({ asked: 100, rows: 250 })
    expect(await total('agt_a')).toEqual({ asked: 100, rows: 54 })
    await say('agt_a', now)
    expect(await total('agt_a')).toEqual({ asked: 101, rows: 54 })
    expect((await total('agt_a', now + 30 * day)).asked).toBe(101)
  })

  it('equals a recount, even during a concurrent sum', async () => {
    const { store, total } = await talkative()
    await total('agt_a')
    await recountDays(store, { agentId: 'agt_a', messages: [] })
    expect((await total('agt_a')).asked).toBe(0)
    expect((await total('agt_b')).asked).toBe(100)
    const { store: other } = await talkative()
    const late = userStore(
      {
        ...db.table,
        // The recount runs between the read and the write of the total.
        put: async (item, condition) => {
          await recountDays(other, { agentId: 'agt_a', messages: [] })
          return db.table.put(item, condition)
        },
      },
      other.userId,
    )
    await messageTotal(late, { agentId: 'agt_a' }, now)
    expect((await messageTotal(other, { agentId: 'agt_a' }, now)).asked).toBe(0)
  })

  it('counts a recent day each time', async () => {
    const { say, total } = await talkative()
    await total('agt_b')
    await say('agt_b', now - day)
    expect((await total('agt_b')).asked).toBe(101)
  })
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '#shared/platform/ids.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { endPart, type TurnEnd } from './end.ts'
import { beginWrite, findTurn } from './turn.ts'

let on: TestTable
beforeAll(async () => {
  on = await startTestTable()
})
afterAll(() => on.close())

/** Creates a user's turn, and the writes of the same transaction as its end. */
function aTurn() {
  const store = userStore(on.table, newId('usr'))
  const id = newId('msg')
  const begin = beginWrite(store, { id, agentId: 'agt_1', kind: 'turn', by: null })
  const put = (sk: string) => store.write.put(sk, { said: true })
  const ends = (end: TurnEnd, n: number) =>
    commit(store, {
      answer: put(`answer#${n}`),
      turn: endPart(store, { id, end, also: { told: put(`told#${n}`) } }),
    })
  const kept = async () => {
    const written = await Promise.all(
      ['answer#1', 'told#1', 'answer#2', 'told#2'].map((sk) => store.get(sk)),
    )
    return written.map((row) => row !== undefined)
  }
  return { store, id, ends, kept, begin: () => on.table.transact([begin]) }
}

it('the first of two ends of a turn counts and sends an event, and both answers are stored', async () => {
  const { store, id, begin, ends, kept } = aTurn()
  await begin()
  await ends({ state: 'cancelled', error: { error: 'Stop' } }, 1)
  const first = await findTurn(store, id)
  await ends({ state: 'finished', answer: 'msg_2' }, 2)
  expect(await findTurn(store, id)).toEqual(first)
  expect(first).toMatchObject({ state: 'cancelled', error: { error: 'Stop' } })
  expect(await kept()).toEqual([true, true, true, false])
  await commit(store, { turn: endPart(store, { id, end: { state: 'failed' }, also: {} }) })
  expect(await findTurn(store, id)).toEqual(first)
})

it('the end of a missing turn creates no turn', async () => {
  const { store, id, ends, kept } = aTurn()
  await ends({ state: 'finished', answer: 'msg_1' }, 1)
  expect(await findTurn(store, id)).toBeUndefined()
  expect(await kept()).toEqual([true, false, false, false])
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { deleteAgent } from '#shared/agents/fleet/delete.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import { declaredEntities } from './entities.ts'

/** The rows of an agent that remain after its deletion, with the reason. */
const remaining: Record<string, string> = {
  'count of all messages': 'belongs to the statistics of the user',
  'deleted agent': 'restores the agent until it expires',
  restore: 'exists until the restore is done',
  'restore point': 'restores the agent until it expires',
  'sale of an answer': 'is a record of money',
  'user’s wallet': 'can contain money',
  'wallet at the custodian': 'can contain money',
}

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())

it('a deletion removes every row that is keyed by its agent, except for the listed ones', async () => {
  const entities = (await declaredEntities()).filter(
    ({ pk, sk }) => pk === 'user#{userId}' && /^[a-z-]+#\{agentId\}/.test(sk),
  )
  const agent = await fleet.untilRunning(await fleet.started())
  const store = userStore(fleet.table, String(agent.userId))
  const keyOf = (sk: string) =>
    sk.replace('{agentId}', agent.id).replaceAll(/\{[^}]+\}/g, '2026-01-01')
  const nameOf = new Map(entities.map(({ name, sk }) => [keyOf(sk), name]))
  for (const sk of nameOf.keys()) if ((await store.get(sk)) === undefined) await store.put(sk, {})
  await deleteAgent(fleet.services, { agentId: agent.id, owner: undefined })
  await fleet.deliver()
  const { items } = await store.query({})
  const left = items.flatMap(({ sk }) => nameOf.get(sk) ?? [])
  expect(left.toSorted()).toEqual(Object.keys(remaining).toSorted())
})

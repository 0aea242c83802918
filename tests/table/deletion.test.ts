import { afterAll, beforeAll, expect, it } from 'vitest'
import { deleteAgent } from '#shared/agents/fleet/delete.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import { declaredEntities } from './entities.ts'

/** The rows of an agent that remain after its deletion, with the reason. */
const remaining: Record<string, string> = {
  'count of all messages': 'belongs to the statistics of the user',
  'deleted agent': 'restores the agent until it expires',
  'export of an agent': 'exists until its archive is removed, at most an hour',
  'files of an agent': 'exists until a collection has removed the packs',
  'pinned root of files': 'belongs to a restore point',
  restore: 'exists until the restore is done',
  'restore point': 'restores the agent until it expires',
  'sale of an answer': 'is a record of money',
  'user’s wallet': 'can contain money',
  'wallet at the custodian': 'can contain money',
}

/** The attributes of rows that their noun reads before it removes them. */
const attributes = (agentId: string, userId: string): Record<string, Record<string, unknown>> => ({
  'files of an agent': { agentId, userId },
  channel: {
    id: 'chn_1',
    userId,
    agentId,
    kind: 'webhook',
    settings: {},
    sealed: '',
    createdAt: '',
    revision: 1,
  },
  connection: {
    name: 'notes',
    url: '',
    createdAt: '',
    state: 'connected',
    allow: [],
    readOnly: [],
    revision: 1,
  },
  'upload of a file': {
    agentId,
    userId,
    id: '2026-01-01',
    path: 'x',
    size: 1,
    reserved: 1,
    expiresAt: 0,
  },
})

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
  const given = attributes(agent.id, store.userId)
  for (const [sk, name] of nameOf)
    if ((await store.get(sk)) === undefined) await store.put(sk, given[name] ?? {})
  await deleteAgent(fleet.services, { agentId: agent.id, owner: undefined })
  await fleet.deliver()
  const { items } = await store.query({})
  const left = items.flatMap(({ sk }) => nameOf.get(sk) ?? [])
  expect(left.toSorted()).toEqual(Object.keys(remaining).toSorted())
})

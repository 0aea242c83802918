import { afterAll, beforeAll, expect, it } from 'vitest'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Departures, startDepartures } from '#tests/support/billing/account-deletions.ts'
import { declaredEntities } from './entities.ts'

/** The rows of a user that remain after the account's deletion, by the reason. */
const remaining: Record<string, string[]> = {
  'only counts or times': [
    'broker slots',
    'count of agents',
    'count of mails',
    'count of restored rows',
    'count of sent messages',
    'counts of bookings',
    'places of scheduled runs',
    'skill installs',
    'spend alerts',
    'starts of agents',
    'use of storage',
    'wrong device codes',
  ],
  'expires within a week': ['cancellation of a turn', 'pieces of an answer', 'turn'],
  'expires within 30 days': ['pair of agents', 'scheduled run', 'video'],
  'is deleted with its agent': ['scheduled task'],
  'exists until its archive is removed, a minute later': ['import of an agent'],
  'is a record of changes or money': [
    'audit entry',
    'audit head',
    'credit posting',
    'credit reference',
    'entitlement',
    'quota',
    'referral',
    'spend of a period',
    'usage event',
    'usage rollup',
    'usage rollup of a key',
    'user',
    'user’s booking',
    'user’s split',
    'video usage event',
    'withdrawal',
  ],
}

/** The attributes of rows that their noun reads before it removes them. */
const attributes = (userId: string): Record<string, Record<string, unknown>> => ({
  'import of an agent': { id: '2026-01-01', userId, size: 1 },
  referral: { referrerId: 'usr_none', state: 'open' },
})

let on: Departures
beforeAll(async () => {
  on = await startDepartures()
})
afterAll(() => on.close())

/** Settled at the payment provider before they are removed: functions/web/account/delete.test.ts. */
const settled = new Set(['refund that is due', 'unwanted subscription'])

/** tests/table/deletion.test.ts checks the rows that are keyed by an agent. */
it('a deletion removes every row of its account, except for the listed ones', async () => {
  const entities = (await declaredEntities()).filter(
    ({ name, pk, sk }) => pk === 'user#{userId}' && !sk.includes('{agentId}') && !settled.has(name),
  )
  const member = await on.member()
  const store = userStore(on.table, member.id)
  const keyOf = (sk: string) => sk.replaceAll(/\{[^}]+\}/g, '2026-01-01')
  const nameOf = new Map(entities.map(({ name, sk }) => [keyOf(sk), name]))
  const given = attributes(member.id)
  for (const [sk, name] of nameOf)
    if ((await store.get(sk)) === undefined) await store.put(sk, given[name] ?? {})
  const { session } = member
  await on.routeOver()('POST', '/api/account/delete', {
    session,
    body: { password: 'correct horse' },
  })
  await on.carryOut(member.id)
  const { items } = await store.query({})
  const left = items.flatMap(({ sk }) => nameOf.get(sk) ?? [])
  expect(left.toSorted()).toEqual(Object.values(remaining).flat().toSorted())
})

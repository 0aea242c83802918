import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Outcome } from '#shared/permits/policy/effect.ts'
import type { Policy, Rule } from '#shared/permits/policy/policy.ts'
import { actionsOf } from '#tests/support/accounts/audit.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import * as group from '../policies.ts'

let keys: Keys
let users = 0
beforeAll(async () => {
  keys = await startKeys()
})
afterAll(() => keys.close())

/** Sets one policy by a session and another by a key with these scopes. @returns the status of the second */
async function change(before: Policy, after: Policy, scopes: ('read' | 'write' | 'money')[]) {
  const user = await keys.signUp(`ada${users++}@b.co`)
  const { id } = await putAgent(keys.table, user.id)
  const { key } = await keys.newKey(user.session, 'one', { scopes })
  const call = callerOf(group, { table: keys.table })
  const path = `/api/agents/${id}/policy`
  const set = async (body: Policy, by: { session: string } | { key: string }) =>
    (await call('PUT', path, { body, ...by })).status
  expect(await set(before, { session: user.session })).toBe(200)
  const status = await set(after, { key })
  const stored = await (await call('GET', path, { session: user.session })).json()
  expect(stored).toEqual(status === 200 ? after : before)
  return status
}

const pay = (then: Outcome, host = '*', when?: Rule['when']): Rule => ({
  action: 'payment.send',
  match: { host },
  ...(when && { when }),
  then,
})
const open = (...rules: Rule[]): Policy => ({ preset: 'open', rules })
const guarded = (...rules: Rule[]): Policy => ({ preset: 'guarded', rules })
const locked = (...rules: Rule[]): Policy => ({ preset: 'locked', rules })

it.each([
  ['a preset that asks becomes open', guarded(), open()],
  ['a preset that denies asks', locked(), guarded()],
  ['a rule that denies is removed', open(pay('deny')), open()],
  ['a rule that asks is removed', open(pay('ask')), open()],
  ['a rule that asks allows', open(pay('ask')), open(pay('allow'))],
  ['a rule that denies names fewer hosts', open(pay('deny')), open(pay('deny', 'a.*'))],
  ['a rule that allows is added', guarded(), guarded(pay('allow', 'a.b'))],
  [
    'a rule that asks is put before one that denies',
    open(pay('deny')),
    open(pay('ask'), pay('deny')),
  ],
  [
    'a rule that allows is put first',
    open(pay('deny'), pay('allow', 'a.b')),
    open(pay('allow', 'a.b'), pay('deny')),
  ],
  [
    'a rule gets a larger amount',
    locked(pay('allow', 'a.b', { maxUsd: '1' })),
    locked(pay('allow', 'a.b', { maxUsd: '2' })),
  ],
])('needs the scope money: %s', async (_, before, after) => {
  expect(await change(before, after, ['write'])).toBe(403)
  expect(await change(before, after, ['write', 'money'])).toBe(200)
})

it('each change of a policy is in the audit', async () => {
  const user = await keys.signUp('audited@b.co')
  const { id } = await putAgent(keys.table, user.id)
  const call = callerOf(group, { table: keys.table })
  const set = (body: Policy) =>
    call('PUT', `/api/agents/${id}/policy`, { body, session: user.session })
  expect(
    await actionsOf(keys.table, user.id, async () => {
      await set(guarded(pay('deny')))
      await set(guarded(pay('deny')))
      await set(open())
    }),
  ).toEqual(['policy.changed', 'policy.changed', 'policy.changed'])
})

it.each([
  ['the preset becomes stricter', open(), locked()],
  ['a rule that denies is added', open(), open(pay('deny'))],
  [
    'a rule that denies is added between others',
    open(pay('allow', 'a.b'), pay('ask')),
    open(pay('allow', 'a.b'), pay('deny', 'c.d'), pay('ask')),
  ],
  ['a rule that allows is removed', guarded(pay('allow', 'a.b'), pay('ask')), guarded(pay('ask'))],
  ['a rule that allows asks', locked(pay('allow')), locked(pay('ask'))],
  [
    'a rule for something else changes',
    guarded({ action: 'exec', then: 'deny' }, pay('ask')),
    guarded(pay('ask'), { action: 'broker.request', then: 'allow' }),
  ],
])('needs the scope write: %s', async (_, before, after) => {
  expect(await change(before, after, ['read'])).toBe(403)
  expect(await change(before, after, ['write'])).toBe(200)
})

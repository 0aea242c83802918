import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commit } from '#shared/platform/table/commit.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { setPolicyOf } from '#tests/support/permits/policy.ts'
import { userContext } from '#tests/support/platform/context.ts'
import { permitted } from './ask.ts'
import type { Effect } from './effect.ts'
import { getPolicy } from './get.ts'
import type { Policy, Rule } from './policy.ts'
import { rememberParts } from './remember.ts'

let keys: Keys
let users = 0
beforeAll(async () => {
  keys = await startKeys()
})
afterAll(() => keys.close())

const now = Date.parse('2026-11-27T12:00:00Z')

const post = (path: string, method = 'POST'): Effect => ({
  action: 'broker.request',
  target: { name: 'crm', method, host: 'api.example.com', path },
})

async function scene(policy: Policy) {
  const { table } = keys
  const { id: userId } = await keys.signUp(`ada${users++}@b.co`)
  const { id: agentId } = await putAgent(table, userId)
  let agent = await setPolicyOf(table, { userId, agentId }, policy)
  const ctx = await userContext(table, userId)
  return {
    set: async (next: Policy) => {
      agent = await setPolicyOf(table, { userId, agentId }, next)
    },
    async remember(how: 'hour' | 'always', effect: Effect) {
      const parts = await rememberParts(ctx, { agent, effect, how, now })
      if (parts !== undefined) await commit(table, parts)
      return parts !== undefined
    },
    decide: async (effect: Effect, at = now) =>
      (await permitted(ctx, { agent, effect, now: at })).then,
    policy: () => getPolicy(ctx, agent),
  }
}

const guarded = (...rules: Rule[]): Policy => ({ preset: 'guarded', rules })

describe('an approval that is remembered for an hour', () => {
  it('holds for the same effect, is not shown, and ends with a change of the policy', async () => {
    const on = await scene(guarded())
    expect(await on.remember('hour', post('/orders'))).toBe(true)
    expect(await on.decide(post('/orders'))).toBe('allow')
    expect(await on.decide(post('/orders', 'PUT'))).toBe('ask')
    expect(await on.decide(post('/orders'), now + 3_600_000)).toBe('ask')
    expect(await on.policy()).toEqual(guarded())
    await on.set(guarded())
    expect(await on.decide(post('/orders'))).toBe('ask')
  })
})

describe('an approval that is remembered always', () => {
  it('becomes a rule before the one that asked', async () => {
    const deny: Rule = { action: 'broker.request', match: { method: 'DELETE' }, then: 'deny' }
    const hours = { from: '09:00', to: '17:00' }
    const ask: Rule = { action: 'broker.request', when: { hours }, then: 'ask' }
    const on = await scene(guarded(deny, ask))
    expect(await on.remember('always', post('/a%20b'))).toBe(true)
    const match = { name: 'crm', method: 'POST', host: 'api.example.com', path: '/a b' }
    const rule = { action: 'broker.request', match, when: { hours }, then: 'allow' }
    expect(await on.policy()).toEqual(guarded(deny, rule as Rule, ask))
    expect(await on.decide(post('/a%20b'))).toBe('allow')
    expect(await on.decide(post('/a'))).toBe('ask')
    expect(await on.decide(post('/a b', 'DELETE'))).toBe('deny')
  })

  it('covers at most the amount of its payment', async () => {
    const pay = (microUsd: bigint): Effect => ({
      action: 'payment.send',
      target: { host: 'shop.example', payee: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' },
      microUsd,
    })
    const on = await scene(guarded())
    expect(await on.remember('always', pay(500_000n))).toBe(true)
    expect([await on.decide(pay(500_000n)), await on.decide(pay(500_001n))]).toEqual([
      'allow',
      'ask',
    ])
  })

  it.each(['/a*', '/a//b', '/%ff', '/a%3Fb', `/${'a'.repeat(300)}`])(
    'is refused if a rule cannot name the target exactly: %s',
    async (path) => {
      const on = await scene(guarded())
      await expect(on.remember('always', post(path))).rejects.toMatchObject({
        code: 'REMEMBER_REFUSED',
      })
      expect(await on.policy()).toEqual(guarded())
    },
  )

  it('is refused if the rule that asked counts its uses, or the policy is full', async () => {
    const counted: Rule = { action: 'broker.request', when: { perDay: 3 }, then: 'ask' }
    const counting = await scene(guarded(counted))
    const refusal = { code: 'REMEMBER_REFUSED' }
    await expect(counting.remember('always', post('/a'))).rejects.toMatchObject(refusal)
    const full = await scene(
      guarded(...Array.from({ length: 100 }, (): Rule => ({ action: 'exec', then: 'deny' }))),
    )
    await expect(full.remember('always', post('/a'))).rejects.toMatchObject(refusal)
  })
})

it('an approval never replaces a denial, and changes nothing that is allowed', async () => {
  for (const policy of [
    { preset: 'locked', rules: [] },
    guarded({ action: 'broker.request', then: 'deny' }),
    { preset: 'open', rules: [] },
  ] satisfies Policy[]) {
    const on = await scene(policy)
    expect(await on.remember('hour', post('/a'))).toBe(false)
    expect(await on.remember('always', post('/a'))).toBe(false)
    expect(await on.policy()).toEqual(policy)
  }
})

import { describe, expect, it } from 'vitest'
import { permitted } from '#shared/permits/policy/ask.ts'
import type { Effect, Preset } from '#shared/permits/policy/effect.ts'
import { policyRows } from '#shared/permits/policy/rows.ts'
import { effect, type Owner, payment, useOwners } from '#tests/support/permits/owners.ts'

const on = useOwners()

const approve = { decision: 'approve' }

describe('an approval that is remembered', () => {
  const decided = async (world: Owner, given: Effect) =>
    permitted(on, { agent: await world.current(), effect: given })

  async function guarded(
    rules: ReturnType<typeof policyRows.parse>['rules'] = [],
    preset: Preset = 'guarded',
  ) {
    const world = await on.newOwner()
    const ids = { userId: world.userId, agentId: world.agent.id }
    await on.table.put(policyRows.put(ids, { preset, rules, revision: 1 }))
    await on.table.update(
      { pk: `user#${world.userId}`, sk: `agent#${world.agent.id}` },
      { set: { hasPolicy: true } },
    )
    return { ...world, policy: () => policyRows.find(on.table, ids) }
  }

  it('for an hour also holds for the same effect, and for no other', async () => {
    const world = await guarded()
    await world.decide(await world.park(), { ...approve, remember: 'hour' })
    expect(await decided(world, effect)).toEqual({ then: 'allow', rule: 'remembered' })
    const other = { ...effect, target: { ...effect.target, path: '/contacts/1' } }
    expect(await decided(world, other)).toMatchObject({ then: 'ask' })
    expect((await world.policy())?.rules).toEqual([])
  })

  it('always becomes a rule for exactly this target', async () => {
    const world = await guarded()
    await world.decide(await world.park(), { ...approve, remember: 'always' })
    await world.decide(await world.park(), { ...approve, remember: 'always' })
    expect(await decided(world, effect)).toEqual({ then: 'allow', rule: 1 })
    const { name, method, host, path } = effect.target
    expect((await world.policy())?.rules).toEqual([
      {
        action: 'broker.request',
        match: { name: [name], method: [method], host: [host], path: [path] },
        then: 'allow',
      },
    ])
  })

  it('of a payment holds for at most its amount', async () => {
    const world = await on.newOwner()
    await world.decide(await world.park({ effect: payment }), { ...approve, remember: 'always' })
    const ids = { userId: world.userId, agentId: world.agent.id }
    const policy = await policyRows.find(on.table, ids)
    expect(policy?.rules).toMatchObject([{ when: { maxUsd: '1.25' }, then: 'allow' }])
    expect((await world.current()).hasPolicy).toBe(true)
  })

  const rule = { action: 'broker.request', match: { host: 'api.example.com' } } as const
  const hours = { from: '00:00', to: '24:00' }
  const deny = { ...rule, then: 'deny' } as const
  const ask = { ...rule, then: 'ask' } as const

  it.each([
    [
      'a rule that denies when the one that asks is used up',
      [{ ...ask, when: { perDay: 5 } }, deny],
      'guarded',
    ],
    [
      'an earlier rule that denies at other hours',
      [{ ...deny, when: { hours: { from: '22:00', to: '06:00' } } }, ask],
      'guarded',
    ],
    ['a rule that denies since the request was asked', [deny, ask], 'guarded'],
    [
      'a preset that denies outside the hours of the rule that asks',
      [{ ...ask, when: { hours } }],
      'locked',
    ],
    ['a preset that denies since the request was asked', [], 'locked'],
  ] as const)('never overrides %s', async (_, rules, preset) => {
    const world = await guarded([...rules], preset)
    const id = await world.park()
    const answer = await world.decide(id, { ...approve, remember: 'always' })
    expect([answer.status, (await world.list())[0]?.state]).toEqual([400, 'pending'])
    expect((await world.policy())?.rules).toEqual(rules)
    expect((await world.decide(id, approve)).status).toBe(200)
  })

  it('as a denial becomes a rule that denies', async () => {
    const world = await guarded()
    await world.decide(await world.park(), { decision: 'deny', remember: 'always' })
    expect(await decided(world, effect)).toEqual({ then: 'deny', rule: 1 })
  })
})

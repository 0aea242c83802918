import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toNumber } from '../amounts/amount.ts'
import { modelSetsOf, modelsOf } from './model-sets.ts'
import { findPlan, planNames, plans } from './plans.ts'
import { isPaying, subscriptionStatuses } from './subscriptions.ts'
import { agentLimit, awakeLimit, findPlanByTier, planOfTier } from './tiers.ts'

describe('the plan table', () => {
  it('gives each plan the container of the interface document', () => {
    const promised = planNames.map((name) => {
      const { cpu, memoryGb } = plans[name].container
      return [name, cpu, memoryGb]
    })
    expect(promised).toEqual([
      ['label', 0.5, 2],
      ['solo', 1, 2],
      ['collective', 2, 4],
      ['network', 4, 16],
    ])
  })

  it('prints the limits of the interface document', () => {
    const rows = Object.values(plans).map((plan) => [
      plan.name,
      toNumber(plan.price),
      modelsOf(modelSetsOf({}), plan)?.length ?? 'all',
      plan.agents,
      plan.skills,
      plan.dailyMessages,
      plan.monthlyTokens ?? 'unlimited',
    ])
    expect(rows).toEqual([
      ['label', 29, 3, 1, 3, 100, 20_000_000],
      ['solo', 79, 5, 3, 10, 500, 2_000_000],
      ['collective', 199, 7, 10, 25, 2000, 6_000_000],
      ['network', 499, 'all', 100, 100, 10_000, 'unlimited'],
    ])
  })

  it('allows as many awake agents as the price of each plan covers, up to the limit of agents', () => {
    const awake = Object.values(plans).map(({ name, awake, agents }) => [name, awake, agents])
    expect(awake).toEqual([
      ['label', 1, 1],
      ['solo', 3, 3],
      ['collective', 4, 10],
      ['network', 4, 100],
    ])
    expect([
      awakeLimit({ plan: 'free', isAdmin: false }, { deployed: true }),
      awakeLimit({ plan: 'solo', isAdmin: true }, { deployed: true }),
      awakeLimit({ plan: 'solo', isAdmin: false }, { deployed: false }),
    ]).toEqual([1, undefined, undefined])
  })

  it('finds no plan under the name of an inherited property', () => {
    for (const name of ['free', '', 'Solo', 'constructor', '__proto__', undefined])
      expect(findPlan(name)).toBeUndefined()
  })
})

describe('tiers', () => {
  it.each([
    ['starter', 'solo'],
    ['pro', 'collective'],
    ['enterprise', 'network'],
    ['collective', 'collective'],
    ['gold', 'label'],
    ['constructor', 'label'],
    [undefined, 'label'],
  ])('%s is %s', (tier, plan) => {
    expect(planOfTier(tier).name).toBe(plan)
  })

  it('rejects an unknown tier', () => {
    expect(findPlanByTier('gold')).toBeUndefined()
    expect(findPlanByTier('pro')).toBe(plans.collective)
  })

  it.each([
    [{ plan: 'solo', isAdmin: false }, undefined, 3],
    [{ plan: 'free', isAdmin: false }, undefined, 1],
    [{ plan: 'network', isAdmin: false }, 'starter', 1],
    [{ plan: 'network', isAdmin: false }, 'pro', 3],
    [{ plan: 'solo', isAdmin: false }, 'enterprise', 3],
    [{ plan: 'network', isAdmin: false }, 'gold', 1],
    [{ plan: 'free', isAdmin: true }, 'starter', 999],
  ])('the limit of the user %j with the tier %s is %i agents', (user, tier, limit) => {
    expect(agentLimit(user, tier)).toBe(limit)
  })

  it('a tier never gives more than the plan', () => {
    fc.assert(
      fc.property(fc.constantFrom('free', ...planNames), fc.string(), (plan, tier) => {
        const user = { plan, isAdmin: false }
        expect(agentLimit(user, tier)).toBeLessThanOrEqual(agentLimit(user))
        expect(agentLimit(user, tier)).toBeGreaterThan(0)
      }),
    )
  })
})

it('only an active or trialing subscription pays', () => {
  expect(subscriptionStatuses.filter(isPaying)).toEqual(['trialing', 'active'])
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Effect, outcomes, presets } from './effect.ts'
import { loosensPayments } from './loosens.ts'
import { permit } from './permit.ts'
import type { Policy, Rule } from './policy.ts'

const rule: fc.Arbitrary<Rule> = fc.record(
  {
    action: fc.constantFrom('payment.send', 'payment.send', 'exec'),
    match: fc.record({ host: fc.constantFrom('a', 'b', '*') }),
    when: fc.record({ maxUsd: fc.constantFrom('1', '2') }),
    then: fc.constantFrom(...outcomes),
  },
  { requiredKeys: ['action', 'then'] },
)
const policy: fc.Arbitrary<Policy> = fc.record({
  preset: fc.constantFrom(...presets),
  rules: fc.array(rule, { maxLength: 5 }),
})

/** A policy, and a change of it: rules that are removed, added, or decide otherwise. */
const change = fc
  .tuple(policy, policy, fc.infiniteStream(fc.nat(3)))
  .map(([before, { preset, rules }, choices]): [Policy, Policy] => {
    const choose = () => choices.next().value as number
    const added = [...rules]
    const changed = before.rules.flatMap((one): Rule[] => {
      const kind = choose()
      if (kind === 0) return []
      if (kind === 1) return [...added.splice(0, 1), one]
      return kind === 2 ? [{ ...one, then: outcomes[choose() % 3] ?? 'deny' }] : [one]
    })
    return [before, { preset: choose() < 2 ? before.preset : preset, rules: changed }]
  })

const payments = ['a', 'b', 'c'].flatMap((host) =>
  [1_000_000n, 1_500_000n, 3_000_000n].map((microUsd): Effect => ({
    action: 'payment.send',
    target: { host, payee: '0x0' },
    microUsd,
  })),
)

const strictness = (given: Policy, effect: Effect) =>
  outcomes.indexOf(permit(given, effect, { now: 0 }).then)

it('a change that does not loosen payments makes no payment easier', () => {
  let kept = 0
  fc.assert(
    fc.property(change, ([before, after]) => {
      if (loosensPayments(before, after)) return
      kept += 1
      for (const effect of payments)
        expect(strictness(after, effect)).toBeGreaterThanOrEqual(strictness(before, effect))
    }),
    { numRuns: 5000 },
  )
  expect(kept).toBeGreaterThan(500)
})

it('the same policy does not loosen payments', () => {
  fc.assert(
    fc.property(policy, (given) => {
      expect(loosensPayments(given, given)).toBe(false)
    }),
  )
})

import { isDeepStrictEqual } from 'node:util'
import { type Outcome, outcomes } from './effect.ts'
import type { Policy, Rule } from './policy.ts'
import { presetOutcome } from './preset.ts'

/**
 * Returns whether a change of a policy can loosen it for payments, so that it needs the scope `money`. If in doubt,
 * returns true. Without the scope, a caller can add rules that deny, remove rules that allow, and make rules and
 * the preset stricter.
 */
export function loosensPayments(before: Policy, after: Policy): boolean {
  if (strictness(defaultOf(after)) < strictness(defaultOf(before))) return true
  const old = paymentRules(before)
  const added = paymentRules(after)
  let i = 0
  for (const rule of added) {
    let next = i
    while (old[next]?.then === 'allow' && !isSameMatch(old[next], rule)) next += 1
    const former = old[next]
    if (former !== undefined && isSameMatch(former, rule)) {
      if (strictness(rule.then) < strictness(former.then)) return true
      i = next + 1
    } else if (rule.then !== 'deny') return true
  }
  return old.slice(i).some(({ then }) => then !== 'allow')
}

function paymentRules({ rules }: Policy): Rule[] {
  return rules.filter(({ action }) => action === 'payment.send')
}

function isSameMatch(a: Rule | undefined, b: Rule): boolean {
  return isDeepStrictEqual([a?.match, a?.when], [b.match, b.when])
}

function defaultOf({ preset }: Policy): Outcome {
  return presetOutcome(preset, {
    action: 'payment.send',
    target: { host: '', payee: '' },
    microUsd: 0n,
  })
}

function strictness(outcome: Outcome): number {
  return outcomes.indexOf(outcome)
}

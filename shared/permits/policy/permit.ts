import { parse } from '#shared/money/amounts/amount.ts'
import type { Decision, Effect } from './effect.ts'
import { globMatches } from './glob.ts'
import { withinHours } from './hours.ts'
import type { Policy, Remembered, Rule, When } from './policy.ts'
import { presetOutcome } from './preset.ts'
import { folded, type Readings, readingsOf } from './readings.ts'

/** The state that a decision depends on, besides the policy. */
export interface History {
  /** Epoch milliseconds. */
  now: number
  /** The positions, from 1, of the rules with `perDay` that have no use left today. */
  usedUp?: ReadonlySet<number>
  remembered?: readonly Remembered[] | undefined
  /** True if the mandate requires an approval for this amount. */
  asksAmount?: boolean | undefined
}

/**
 * Decides an effect by the first rule that matches, otherwise by the preset. A remembered approval changes `ask` to
 * `allow`. It never changes `deny`.
 *
 * A field can have several readings, because hosts read it differently. A rule that allows must match all of them
 * exactly. A rule that asks or denies must match one of them, in upper or lower case. It also matches a field that
 * cannot be read.
 */
export function permit({ preset, rules }: Policy, effect: Effect, history: History): Decision {
  const read = new Map<string, Readings>()
  const position = rules.findIndex(
    (rule, i) =>
      rule.action === effect.action &&
      history.usedUp?.has(i + 1) !== true &&
      matchesTarget(rule, effect, read) &&
      isWhen(rule.when, effect, history.now),
  )
  const rule = rules[position]
  const decision: Decision =
    rule === undefined
      ? { then: presetOutcome(preset, effect), rule: preset }
      : {
          then: rule.then,
          rule: position + 1,
          ...(rule.when?.perDay !== undefined && { counted: position + 1 }),
        }
  const asks =
    decision.then === 'ask' ||
    (decision.then === 'allow' && history.asksAmount === true && !isExactPayment(rule))
  if (!asks) return decision
  return isRemembered(effect, history)
    ? { ...decision, then: 'allow', rule: 'remembered' }
    : { ...decision, then: 'ask' }
}

function matchesTarget(
  { match, then }: Rule,
  effect: Effect,
  read: Map<string, Readings>,
): boolean {
  for (const field in match) {
    let known = read.get(field)
    if (known === undefined) read.set(field, (known = readingsOf(effect, field)))
    const patterns = match[field] ?? []
    if (!(then === 'allow' ? matchesAll(patterns, known) : matchesAny(patterns, known)))
      return false
  }
  return true
}

type Patterns = string | readonly string[]

function matchesAll(patterns: Patterns, { exact }: Readings): boolean {
  for (const text of exact) if (!matches(patterns, text)) return false
  return exact.length > 0
}

function matchesAny(patterns: Patterns, { exact, folded: loose }: Readings): boolean {
  if (exact.length === 0) return true
  for (const text of exact) if (matches(patterns, text)) return true
  const loosePatterns = typeof patterns === 'string' ? folded(patterns) : patterns.map(folded)
  if (loose === exact && loosePatterns === patterns) return false
  for (const text of loose) if (matches(loosePatterns, text)) return true
  return false
}

function matches(patterns: Patterns, text: string): boolean {
  if (typeof patterns === 'string') return globMatches(patterns, text)
  for (const pattern of patterns) if (globMatches(pattern, text)) return true
  return false
}

function isWhen(when: When | undefined, effect: Effect, now: number): boolean {
  if (when === undefined) return true
  const { maxUsd, hours } = when
  if (maxUsd !== undefined) {
    if (effect.action !== 'payment.send') return false
    if (effect.microUsd > parse('USD', maxUsd).minor) return false
  }
  return hours === undefined || withinHours(hours, now)
}

/** Returns whether a rule names one host, one payee and an amount, as a remembered approval does. */
function isExactPayment(rule: Rule | undefined): boolean {
  const isExact = (field: string) => {
    const [pattern, ...others] = [rule?.match?.[field] ?? []].flat()
    return pattern !== undefined && others.length === 0 && !pattern.includes('*')
  }
  return rule?.when?.maxUsd !== undefined && isExact('host') && isExact('payee')
}

function isRemembered(effect: Effect, { remembered = [], now }: History): boolean {
  return remembered.some(
    ({ action, target, maxMicroUsd, until }) =>
      action === effect.action &&
      now < until &&
      Object.entries(effect.target).every(([field, text]) => target[field] === text) &&
      (effect.action !== 'payment.send' || effect.microUsd <= BigInt(maxMicroUsd ?? 0)) &&
      (effect.action !== 'broker.request' || effect.overrides === undefined),
  )
}

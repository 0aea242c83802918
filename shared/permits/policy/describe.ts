import type { Action, Outcome, Preset } from './effect.ts'
import type { Policy, Rule, When } from './policy.ts'

const verbs: Record<Outcome, string> = {
  allow: 'Allow',
  ask: 'Ask before',
  deny: 'Deny',
}

const actions: Record<Action, string> = {
  'broker.request': 'requests with a broker credential',
  'tool.call': 'calls of tools of connections',
  'message.send': 'messages to other agents',
  'payment.send': 'payments',
  'channel.send': 'messages to people on channels',
  'schedule.write': 'changes of its scheduled tasks',
  exec: 'commands',
}

const fieldWords: Record<string, string> = {
  name: 'credential',
  to: 'recipient',
}

const defaults: Record<Preset, string> = {
  open: 'Allow everything else; payments stay within the mandate.',
  guarded:
    'Ask before everything else that writes, sends or pays. Allow everything else that only reads.',
  locked: 'Deny everything else that writes, sends or pays. Allow everything else that only reads.',
}

/** Returns a policy in words: one numbered sentence a rule, and one for the preset. */
export function describePolicy({ preset, rules }: Policy): string[] {
  const rest = defaults[preset]
  if (rules.length === 0) return [rest.replaceAll('everything else', 'everything')]
  return [...rules.map((rule, i) => `${i + 1}. ${sentenceOf(rule)}`), rest]
}

function sentenceOf({ action, match = {}, when = {}, then }: Rule): string {
  const targets = Object.entries(match).map(([field, patterns]) => {
    const texts = [patterns].flat().map((pattern) => JSON.stringify(pattern))
    return `the ${fieldWords[field] ?? field} is ${texts.join(' or ')}`
  })
  const where = targets.length === 0 ? '' : ` if ${targets.join(' and ')}`
  return `${[`${verbs[then]} ${actions[action]}${where}`, ...conditionsOf(when)].join(', ')}.`
}

function conditionsOf({ maxUsd, perDay, hours }: When): string[] {
  return [
    ...(maxUsd === undefined ? [] : [`up to $${maxUsd} each`]),
    ...(perDay === undefined ? [] : [`at most ${perDay} per UTC day`]),
    ...(hours === undefined
      ? []
      : [`from ${hours.from} to ${hours.to} ${hours.timezone ?? 'UTC'}`]),
  ]
}

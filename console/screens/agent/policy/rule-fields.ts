import { PlatformError } from '../../../../clients/typescript/core/errors.ts'
import type { PolicyRule } from '../../../../clients/typescript/index.ts'

export type Action = PolicyRule['action']

/** The fields of `match` by action. */
export const fieldsOf: Readonly<Record<Action, readonly string[]>> = {
  'broker.request': ['name', 'method', 'host', 'path'],
  'message.send': ['to', 'action'],
  'schedule.write': ['action'],
  'payment.send': ['host', 'payee'],
  'tool.call': ['connection', 'tool'],
  'channel.send': ['channel', 'to'],
  exec: ['command'],
}

export const actions = Object.keys(fieldsOf) as Action[]

export const decisions = [
  { value: 'allow', label: 'Allow' },
  { value: 'ask', label: 'Ask me first' },
  { value: 'deny', label: 'Deny' },
] as const satisfies { value: PolicyRule['then']; label: string }[]

/** The labels of the fields of `match`. */
export const fieldNames: Readonly<Record<string, string>> = {
  name: 'Credential',
  method: 'Method',
  host: 'Host',
  path: 'Path',
  to: 'Recipient',
  action: 'Kind',
  payee: 'Payee',
  connection: 'Connection',
  tool: 'Tool',
  channel: 'Channel',
  command: 'Command',
}

/** Returns the texts of a rule's fields, by their path in the rule: `match.host`, `when.hours.from`. */
export function textsOf(rule: PolicyRule | undefined): Record<string, string> {
  const { maxUsd = '', perDay = '', hours } = rule?.when ?? {}
  const match = Object.entries(rule?.match ?? {}).map(([field, patterns]) => [
    `match.${field}`,
    [patterns].flat().join('\n'),
  ])
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return {
    ...Object.fromEntries(match),
    'when.maxUsd': maxUsd,
    'when.perDay': String(perDay),
    'when.hours.from': hours?.from ?? '',
    'when.hours.to': hours?.to ?? '',
    'when.hours.timezone': hours === undefined ? timeZone : (hours.timezone ?? 'UTC'),
  }
}

/**
 * Returns the rule of a form. The platform checks its values. Unchanged fields keep their stored form, because the
 * platform counts `perDay` by a rule's content.
 * @param values by their path in the rule
 * @param before the rule that it replaces
 */
export function ruleOf(
  { action, then }: Pick<PolicyRule, 'action' | 'then'>,
  values: Record<string, string>,
  before: PolicyRule | undefined,
): PolicyRule {
  const match = Object.fromEntries(
    fieldsOf[action].flatMap((field) => {
      const stored = before?.match?.[field]
      const old = [stored ?? []].flat()
      const patterns = patternsIn(values[`match.${field}`] ?? '', old)
      const [first] = patterns
      if (first === undefined) return []
      const isStored = stored !== undefined && patterns.join('\n') === old.join('\n')
      return [[field, isStored ? stored : patterns.length === 1 ? first : patterns]]
    }),
  )
  const when = whenOf(values, before)
  return {
    action,
    ...(Object.keys(match).length > 0 && { match }),
    ...(Object.keys(when).length > 0 && { when }),
    then,
  }
}

/** Removes spaces around a pattern, unless the stored rule has them. */
function patternsIn(text: string, old: readonly string[]): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => (old.includes(line) ? line : line.trim()))
    .filter((line) => line !== '')
}

function whenOf(
  values: Record<string, string>,
  before: PolicyRule | undefined,
): NonNullable<PolicyRule['when']> {
  const text = (name: string) => (values[`when.${name}`] ?? '').trim()
  const [maxUsd, perDay, from, to] = ['maxUsd', 'perDay', 'hours.from', 'hours.to'].map(text)
  const hours = before?.when?.hours
  const zone = text('hours.timezone')
  const isDefault = zone === '' || (zone === 'UTC' && hours && hours.timezone === undefined)
  return {
    ...(maxUsd && { maxUsd }),
    ...(perDay && { perDay: Number(perDay) }),
    ...((from || to) && { hours: { from, to, ...(!isDefault && { timezone: zone }) } }),
  } as NonNullable<PolicyRule['when']>
}

/** An error of the platform about a field. */
export interface FieldFault {
  /** The field's path in the rule. */
  name: string
  text: string
}

const faultForm = /^rules\.(\d+)\.(match\.\w+|when\.(?:\w+\.)?\w+)(?:\.\d+)?: (.+)$/s

/**
 * Returns the field that an error is about; undefined if it is about something else.
 * @param number the number of the rule in the form
 */
export function faultOf(error: unknown, number: number): FieldFault | undefined {
  if (!(error instanceof PlatformError) || error.status !== 400) return undefined
  const told = error.message.replace(` (request ${error.requestId})`, '')
  const [, index, path = '', message = ''] = faultForm.exec(told) ?? []
  if (index === undefined || Number(index) !== number - 1) return undefined
  const text = message.replace(/^(?:maxUsd|perDay|from|to|timezone|payee) (?=must|has)/, '')
  return {
    name: path === 'when.hours' ? 'when.hours.to' : path,
    text: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
  }
}

import { getAddress, isAddress } from 'viem'
import * as z from 'zod'
import { addressField } from '#shared/money/evm/address.ts'
import { amountField } from '#shared/money/fields/amount.ts'
import { once } from '#shared/platform/once.ts'
import { type Action, actions, outcomes, targetFields } from './effect.ts'
import { globMatches } from './glob.ts'
import type { Rule } from './policy.ts'
import { canonicalHost } from './readings.ts'

const maxPattern = 256
const maxPatterns = 50
const maxPerDay = 1_000_000

/** Names an unknown field. A misspelt condition that was ignored would make a rule match more than it says. */
const strict = (of: string) => ({
  error: (issue: { code?: string; keys?: string[] }) =>
    issue.code === 'unrecognized_keys'
      ? `${issue.keys?.join(', ')} is not a field of ${of}`
      : undefined,
})

const pattern = z
  .string('must be a text or a list of texts')
  .min(1, 'must not be empty')
  .max(maxPattern, `must have at most ${maxPattern} characters`)
  .refine((text) => !/\p{C}/u.test(text) && text.isWellFormed(), 'must have no control characters')

const timeOfDay = (name: string, form: RegExp) =>
  z.string(`${name} must be a time like 09:30`).regex(form, `${name} must be a time like 09:30`)

const when = once(() =>
  z.strictObject(
    {
      maxUsd: amountField('maxUsd')
        .optional()
        .describe('The largest payment that the rule matches'),
      perDay: z
        .int('perDay must be a whole number')
        .min(1, 'perDay must be at least 1')
        .max(maxPerDay, `perDay must be at most ${maxPerDay}`)
        .optional()
        .describe('How many effects the rule allows or asks for in a UTC day'),
      hours: z
        .strictObject(
          {
            from: timeOfDay('from', /^(?:[01]\d|2[0-3]):[0-5]\d$/),
            to: timeOfDay('to', /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/),
            timezone: z
              .string()
              .max(64)
              .refine(isTimezone, 'timezone must be a time zone like Europe/Berlin')
              .optional()
              .describe('Default: UTC'),
          },
          strict('hours'),
        )
        .refine(({ from, to }) => from !== to, 'from and to must differ')
        .optional()
        .describe('From `from` and before `to`, over midnight if `to` is earlier'),
    },
    strict('when'),
  ),
)

/** A rule in a request. It gets canonical hosts, methods and payees. */
export const rule = once(() =>
  z
    .strictObject(
      {
        action: z.enum(actions, `action must be one of ${actions.join(', ')}`),
        match: z
          .record(
            z.string(),
            z.union(
              [pattern, z.array(pattern).min(1, 'must not be empty').max(maxPatterns)],
              `must be a text or a list of at most ${maxPatterns} texts`,
            ),
          )
          .optional()
          .describe('Patterns by field of the action; `*` is any run of characters'),
        when: when().optional(),
        then: z.enum(outcomes, `then must be one of ${outcomes.join(', ')}`),
      },
      strict('a rule'),
    )
    .superRefine((given, context) => {
      for (const { path, message } of faultsOf(given))
        context.addIssue({ code: 'custom', path, message })
    })
    .overwrite(canonical)
    .meta({ id: 'PolicyRule' }),
)

type Fault = { path: string[]; message: string }

function faultsOf({ action, match = {}, when: conditions, then }: Rule): Fault[] {
  const fields: readonly string[] = targetFields[action]
  const faults = Object.entries(match).flatMap(([field, patterns]): Fault[] => {
    const path = ['match', field]
    if (!fields.includes(field))
      return [{ path, message: `not a field of ${action}; use ${fields.join(', ')}` }]
    const found = [patterns].flat().map((text) => faultOfPattern(action, field, text))
    const message = found.find((fault) => fault !== undefined)
    return message === undefined ? [] : [{ path, message }]
  })
  if (conditions?.maxUsd !== undefined && action !== 'payment.send')
    faults.push({ path: ['when', 'maxUsd'], message: 'only payment.send has an amount' })
  if (conditions?.perDay !== undefined && then === 'deny')
    faults.push({ path: ['when', 'perDay'], message: 'a rule that denies counts nothing' })
  return faults
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const scheduleActions = ['create', 'update', 'delete']

function faultOfPattern(action: Action, field: string, text: string): string | undefined {
  const matchesOne = (known: readonly string[]) => known.some((one) => globMatches(text, one))
  switch (field) {
    case 'method':
      return methods.some((method) => globMatches(text.toUpperCase(), method))
        ? undefined
        : `must match one of ${methods.join(', ')}`
    case 'host':
      return /^[\w.*:[\]-]+$/.test(text) ? undefined : 'must be a host, such as *.example.com'
    case 'path':
      if (!/^[/*]/.test(text)) return 'must begin with "/" or "*"'
      return /[?#]|%[0-9a-f]{2}/i.test(text)
        ? 'must be decoded and without a query: write " " for %20'
        : undefined
    case 'payee':
      return text === '*'
        ? undefined
        : addressField('payee').safeParse(text).error?.issues[0]?.message
    default:
      return action !== 'schedule.write' || matchesOne(scheduleActions)
        ? undefined
        : `must match one of ${scheduleActions.join(', ')}`
  }
}

function canonical<R extends Rule>(given: R): R {
  if (given.match === undefined) return given
  const match = Object.fromEntries(
    Object.entries(given.match).map(([field, patterns]) => [
      field,
      typeof patterns === 'string'
        ? canonicalPattern(field, patterns)
        : [...new Set(patterns.map((text) => canonicalPattern(field, text)))],
    ]),
  )
  return { ...given, match }
}

function canonicalPattern(field: string, text: string): string {
  if (field === 'method') return text.toUpperCase()
  if (field === 'host') return canonicalHost(text)
  // Runs for a rule with faults too.
  return field === 'payee' && isAddress(text) ? getAddress(text) : text
}

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

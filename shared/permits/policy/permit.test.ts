import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Effect, type Outcome, outcomes, presets } from './effect.ts'
import { permit } from './permit.ts'
import type { Policy, Rule } from './policy.ts'

const now = Date.parse('2026-11-27T12:00:00Z')

const request = (
  path: string,
  { method = 'GET', host = 'api.example.com', override }: Record<string, string> = {},
): Effect => ({
  action: 'broker.request',
  target: { name: 'crm', method, host, path },
  ...(override !== undefined && { overrides: [override] }),
})

const payment = (microUsd: bigint): Effect => ({
  action: 'payment.send',
  target: { host: 'shop.example', payee: '0x0000000000000000000000000000000000000001' },
  microUsd,
})

const onRequests = (then: Outcome, match: Rule['match']): Rule => ({
  action: 'broker.request',
  match,
  then,
})

const decide = (rules: Rule[], effect: Effect, preset: Policy['preset'] = 'open', at = now) =>
  permit({ preset, rules }, effect, { now: at }).then

describe('the first rule that matches', () => {
  it('decides, else the preset', () => {
    const rules = [
      onRequests('allow', { path: '/public/*' }),
      onRequests('deny', { path: '/*' }),
      onRequests('ask', {}),
    ]
    const policy = { preset: 'locked', rules } as const
    expect(permit(policy, request('/public/a'), { now })).toEqual({ then: 'allow', rule: 1 })
    expect(permit(policy, request('/private'), { now })).toEqual({ then: 'deny', rule: 2 })
    expect(permit(policy, payment(1n), { now })).toEqual({ then: 'deny', rule: 'locked' })
  })

  it('is never one of another action', () => {
    fc.assert(
      fc.property(fc.constantFrom(...outcomes), fc.constantFrom(...presets), (then, preset) => {
        const rules: Rule[] = [{ action: 'exec', then }]
        const effect = request('/', { method: 'POST' })
        expect(decide(rules, effect, preset)).toBe(decide([], effect, preset))
      }),
    )
  })
})

describe('a preset', () => {
  const writes: Effect[] = [
    ...['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'post'].map((method) =>
      request('/', { method }),
    ),
    request('/', { override: 'DELETE' }),
    { action: 'message.send', target: { to: 'agt_1', action: 'PING' } },
    payment(1n),
    { action: 'schedule.write', target: { action: 'delete' } },
    { action: 'tool.call', target: { connection: 'linear', tool: 'save' }, readOnly: false },
    { action: 'channel.send', target: { channel: 'telegram', to: '1' }, answer: false },
    { action: 'exec', target: { command: 'curl' } },
  ]
  const reads: Effect[] = [
    ...['GET', 'HEAD', 'OPTIONS', 'get', 'Head'].map((method) => request('/', { method })),
    { action: 'tool.call', target: { connection: 'linear', tool: 'find' }, readOnly: true },
    { action: 'channel.send', target: { channel: 'telegram', to: '1' }, answer: true },
  ]

  it.each([
    ['open', 'allow', 'allow'],
    ['guarded', 'ask', 'allow'],
    ['locked', 'deny', 'allow'],
  ] as const)('%s: %s what writes, sends or pays, %s what reads', (preset, writing, reading) => {
    for (const effect of writes)
      expect([effect, decide([], effect, preset)]).toEqual([effect, writing])
    for (const effect of reads)
      expect([effect, decide([], effect, preset)]).toEqual([effect, reading])
  })
})

describe('an amount', () => {
  const upTo = (maxUsd: string): Rule[] => [
    { action: 'payment.send', when: { maxUsd }, then: 'allow' },
  ]

  it('is compared exactly', () => {
    expect(decide(upTo('0.3'), payment(300_000n), 'locked')).toBe('allow')
    expect(decide(upTo('0.3'), payment(300_001n), 'locked')).toBe('deny')
    expect(decide(upTo('999999999999.999999'), payment(10n ** 18n - 1n), 'locked')).toBe('allow')
    expect(decide(upTo('999999999999.999998'), payment(10n ** 18n - 1n), 'locked')).toBe('deny')
  })
})

describe('hours', () => {
  const within = (from: string, to: string, timezone?: string) => (iso: string) =>
    decide(
      [{ action: 'exec', when: { hours: { from, to, timezone } }, then: 'allow' }],
      { action: 'exec', target: { command: 'ls' } },
      'locked',
      Date.parse(iso),
    ) === 'allow'

  it('begin at the first minute and end before the last', () => {
    const office = within('09:00', '17:00')
    expect(office('2026-11-27T08:59:59.999Z')).toBe(false)
    expect(office('2026-11-27T09:00:00Z')).toBe(true)
    expect(office('2026-11-27T16:59:59.999Z')).toBe(true)
    expect(office('2026-11-27T17:00:00Z')).toBe(false)
  })

  it('go over midnight', () => {
    const night = within('22:00', '06:00')
    expect(
      ['21:59', '22:00', '23:59', '00:00', '05:59', '06:00'].map((time) =>
        night(`2026-11-27T${time}:00Z`),
      ),
    ).toEqual([false, true, true, true, true, false])
    expect(within('12:00', '24:00')('2026-11-27T23:59:59Z')).toBe(true)
    expect(within('00:00', '24:00')('2026-11-27T00:00:00Z')).toBe(true)
  })

  it('follow the clock of their time zone, when it changes too', () => {
    const night = within('02:00', '03:00', 'Europe/Berlin')
    // 29 March 2026: the clock goes from 02:00 to 03:00.
    expect(night('2026-03-29T00:59:00Z')).toBe(false)
    expect(night('2026-03-29T01:00:00Z')).toBe(false)
    // 25 October 2026: the hour from 02:00 comes twice.
    expect(night('2026-10-25T00:00:00Z')).toBe(true)
    expect(night('2026-10-25T01:59:00Z')).toBe(true)
    expect(night('2026-10-25T02:00:00Z')).toBe(false)
    expect(within('09:00', '10:00', 'Asia/Kolkata')('2026-11-27T03:30:00Z')).toBe(true)
  })
})

describe('an approval that was remembered', () => {
  const until = now + 3_600_000
  const post = request('/orders', { method: 'POST' })
  const remembered = [{ action: post.action, target: post.target, until }] as const

  it('replaces the question for the same target until its end', () => {
    const guarded: Policy = { preset: 'guarded', rules: [] }
    expect(permit(guarded, post, { now, remembered })).toEqual({
      then: 'allow',
      rule: 'remembered',
    })
    expect(permit(guarded, post, { now: until, remembered }).then).toBe('ask')
    for (const other of [
      request('/orders/1', { method: 'POST' }),
      request('/orders', { method: 'PUT' }),
      request('/orders', { method: 'POST', override: 'DELETE' }),
    ])
      expect(permit(guarded, other, { now, remembered }).then).toBe('ask')
  })

  it('never replaces a denial', () => {
    expect(permit({ preset: 'locked', rules: [] }, post, { now, remembered }).then).toBe('deny')
    const rules = [onRequests('deny', { path: '/orders' })]
    expect(permit({ preset: 'guarded', rules }, post, { now, remembered }).then).toBe('deny')
  })

  it('holds for at most its amount', () => {
    const { action, target } = payment(0n)
    const known = [{ action, target, maxMicroUsd: '500000', until }]
    const at = (microUsd: bigint) =>
      permit({ preset: 'guarded', rules: [] }, payment(microUsd), { now, remembered: known }).then
    expect([at(500_000n), at(500_001n)]).toEqual(['allow', 'ask'])
  })

  it('is counted by the rule that asked', () => {
    const rules: Rule[] = [{ action: 'broker.request', when: { perDay: 2 }, then: 'ask' }]
    const decided = permit({ preset: 'open', rules }, post, { now, remembered })
    expect(decided).toEqual({ then: 'allow', rule: 'remembered', counted: 1 })
  })
})

it('a rule without uses left today does not match', () => {
  const rules: Rule[] = [
    { action: 'exec', when: { perDay: 1 }, then: 'allow' },
    { action: 'exec', then: 'deny' },
  ]
  const effect: Effect = { action: 'exec', target: { command: 'ls' } }
  const policy: Policy = { preset: 'open', rules }
  expect(permit(policy, effect, { now })).toEqual({ then: 'allow', rule: 1, counted: 1 })
  expect(permit(policy, effect, { now, usedUp: new Set([1]) })).toEqual({ then: 'deny', rule: 2 })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Effect, Outcome } from './effect.ts'
import { permit } from './permit.ts'
import type { Policy, Rule } from './policy.ts'

const request = (
  path: string,
  { method = 'GET', host = 'api.example.com', override }: Record<string, string> = {},
): Effect => ({
  action: 'broker.request',
  target: { name: 'crm', method, host, path },
  ...(override !== undefined && { overrides: [override] }),
})

const onRequests = (then: Outcome, match: Rule['match']): Rule => ({
  action: 'broker.request',
  match,
  then,
})

const decide = (rules: Rule[], effect: Effect, preset: Policy['preset'] = 'open') =>
  permit({ preset, rules }, effect, { now: 0 }).then

describe('a different spelling of the same request', () => {
  const same = [
    '/admin/users',
    '/%61dmin/users',
    '/admin%2Fusers',
    '//admin//users',
    '/./admin/users',
    '/public/../admin/users',
    '/public/..;/admin/users',
    '/admin;v=1/users',
    '/admin/users?x=/public/',
    String.raw`\admin\users`,
    '/ADMIN/Users',
    '/admin/%75sers',
    '/\uFF41dmin/users',
    '/%ff%fe',
    '/%zz',
    '/admin/users%',
    '/%2561dmin/users',
    '/public/%252e%252e/admin/users',
    '/public/%252e%252e/admin/users/100%25',
    '/public/%25252e%25252e/admin/users',
    '/public/%2525252525252e/admin/users',
    '/admin/x//..;/users',
  ]

  it.each(same)('is denied: %s', (path) => {
    expect(decide([onRequests('deny', { path: '/admin/*' })], request(path))).toBe('deny')
    expect(decide([onRequests('ask', { path: '/admin/*' })], request(path))).toBe('ask')
  })

  it.each(same)('is not allowed by a rule for another path: %s', (path) => {
    const allow = [onRequests('allow', { path: '/public/*' })]
    expect(decide(allow, request(path, { method: 'POST' }), 'locked')).toBe('deny')
  })

  it('is allowed only if every reading is', () => {
    const allow = [onRequests('allow', { path: '/public/*' })]
    const locked = (path: string) => decide(allow, request(path, { method: 'POST' }), 'locked')
    expect(locked('/public/a%20b')).toBe('allow')
    expect(locked('/public/100%25')).toBe('allow')
    expect(locked('/public/a%2520b%25zz')).toBe('allow')
    expect(locked('/public/../admin')).toBe('deny')
    expect(locked('/public/..;/admin')).toBe('deny')
    expect(locked('/public/%2e%2e/admin')).toBe('deny')
    expect(locked(String.raw`/public/..\admin`)).toBe('deny')
    expect(locked('/PUBLIC/a')).toBe('deny')
    expect(locked('/public/%ff')).toBe('deny')
  })

  it('is denied with a slash at its end, and with empty segments before dots', () => {
    for (const path of ['/admin/delete', '/admin/delete/', '/admin//..;/delete', '/Admin/delete//'])
      for (const then of ['deny', 'ask'] as const)
        expect([
          path,
          decide([onRequests(then, { path: '/admin/delete' })], request(path)),
        ]).toEqual([path, then])
    const allow = [onRequests('allow', { path: '/public' })]
    expect(decide(allow, request('/public/', { method: 'POST' }), 'locked')).toBe('deny')
  })

  it('has its host in any case, with its dot and port', () => {
    const deny = [onRequests('deny', { host: 'api.example.com' })]
    for (const host of [
      'API.example.com',
      'api.example.com.',
      'api.example.com:443',
      'api.example.com:8443',
    ])
      expect(decide(deny, request('/', { host }))).toBe('deny')
    const allow = [onRequests('allow', { host: 'api.example.com' })]
    const locked = (host: string) => decide(allow, request('/', { host, method: 'POST' }), 'locked')
    expect(locked('API.example.com.:443')).toBe('allow')
    expect(locked('api.example.com:8443')).toBe('deny')
    expect(locked('api.example.com.evil.test')).toBe('deny')
  })

  it('has the method that a header asks for', () => {
    const rules = [
      onRequests('deny', { method: 'DELETE' }),
      onRequests('allow', { method: 'POST' }),
    ]
    const effect = request('/', { method: 'POST', override: 'DELETE' })
    expect(decide(rules, effect, 'locked')).toBe('deny')
    expect(decide(rules.slice(1), effect, 'locked')).toBe('deny')
    expect(decide(rules.slice(1), request('/', { method: 'POST' }), 'locked')).toBe('allow')
  })
})

describe('a rule that denies', () => {
  const texts = fc.array(
    fc.constantFrom(
      'a',
      'A',
      'e',
      'é',
      'e\u0301',
      'Σ',
      'ς',
      'ﬁ',
      '/',
      '//',
      '..',
      ';',
      '%41',
      '%',
      '*',
      '.',
    ),
    { maxLength: 12 },
  )
  const path = texts.map((parts) => `/${parts.join('')}`)

  it('matches everything that the same rule would allow', () => {
    fc.assert(
      fc.property(path, path, (pattern, text) => {
        const allowed = decide(
          [onRequests('allow', { path: pattern })],
          request(text, { method: 'POST' }),
          'locked',
        )
        const denied = decide([onRequests('deny', { path: pattern })], request(text))
        expect(allowed === 'deny' || denied === 'deny').toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('is not passed by encoding any character of the path', () => {
    const encoded = (text: string) =>
      Array.from(
        new TextEncoder().encode(text),
        (byte) => `%${byte.toString(16).padStart(2, '0')}`,
      ).join('')
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
        fc.string(),
        (secret, rest) => {
          const deny = [onRequests('deny', { path: `/${secret.replaceAll('*', '')}*` })]
          const text = secret.replaceAll('*', '') + rest
          fc.pre(text.isWellFormed())
          expect(decide(deny, request(`/${encoded(text)}`))).toBe('deny')
        },
      ),
    )
  })
})

describe('a pattern', () => {
  /** The same match by a regular expression, for patterns of few characters. */
  const expected = (pattern: string, text: string) =>
    new RegExp(
      `^${pattern
        .split('*')
        .map((part) => part.replaceAll('.', String.raw`\.`))
        .join('[^]*')}$`,
      'u',
    ).test(text)
  const letters = fc
    .array(fc.constantFrom('a', 'b', '*', '.'), { maxLength: 10 })
    .map((all) => all.join(''))

  it('matches as its regular expression does', () => {
    fc.assert(
      fc.property(letters, letters, (pattern, text) => {
        const rule: Rule = { action: 'tool.call', match: { tool: pattern }, then: 'allow' }
        const effect: Effect = {
          action: 'tool.call',
          target: { connection: 'c', tool: text },
          readOnly: false,
        }
        expect(decide([rule], effect, 'locked') === 'allow').toBe(expected(pattern, text))
      }),
      { numRuns: 5000 },
    )
  })

  it('is a list of which any matches', () => {
    const rule = onRequests('ask', { method: ['PUT', 'PATCH'], path: ['/a/*', '/b'] })
    expect(decide([rule], request('/b', { method: 'PATCH' }))).toBe('ask')
    expect(decide([rule], request('/c', { method: 'PATCH' }))).toBe('allow')
    expect(decide([rule], request('/b', { method: 'POST' }))).toBe('allow')
  })

  it('takes time in proportion to the text', () => {
    const pattern = `${'*a'.repeat(120)}b`
    const effect: Effect = { action: 'exec', target: { command: 'a'.repeat(1_000_000) } }
    expect(decide([{ action: 'exec', match: { command: pattern }, then: 'ask' }], effect)).toBe(
      'allow',
    )
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '#functions/web/policies.ts'
import { defaultPolicy } from '#shared/permits/policy/policy.ts'
import { startWebAgents, type WebAgents } from '#tests/support/agents/web-agents.ts'

let web: WebAgents
beforeAll(async () => {
  web = await startWebAgents(routes as never)
})
afterAll(() => web.fleet.close())

async function scene() {
  const user = await web.person()
  const { id } = await web.provisioned(user)
  const path = `/api/agents/${id}/policy`
  return {
    user,
    id,
    get: () => web.call('GET', path, { user }),
    put: (body: unknown) => web.call('PUT', path, { user, body }),
    test: (body: unknown) => web.call('POST', `${path}/test`, { user, body }),
    row: () => web.fleet.row({ id, userId: user }),
  }
}

const rule = { action: 'broker.request', match: { method: 'POST' }, then: 'ask' }

describe('the policy of an agent', () => {
  it('is open without rules until its owner sets another', async () => {
    const on = await scene()
    expect(await on.get()).toEqual({ status: 200, body: defaultPolicy })
    const policy = { preset: 'guarded', rules: [rule] }
    expect(await on.put(policy)).toEqual({ status: 200, body: policy })
    expect(await on.get()).toEqual({ status: 200, body: policy })
    expect(await on.row()).toMatchObject({ hasPolicy: true })
    expect((await on.put(defaultPolicy)).body).toEqual(defaultPolicy)
    expect((await on.row()).hasPolicy).toBeUndefined()
    expect((await on.get()).body).toEqual(defaultPolicy)
  })

  it('does not exist for others', async () => {
    const on = await scene()
    const other = await web.person()
    const path = `/api/agents/${on.id}/policy`
    const seen = await Promise.all([
      web.call('GET', path, { user: other }),
      web.call('PUT', path, { user: other, body: defaultPolicy }),
      web.call('POST', `${path}/test`, { user: other, body: { days: 1 } }),
      web.call('GET', path),
    ])
    expect(seen.map(({ status }) => status)).toEqual([404, 404, 404, 401])
  })

  it('has its hosts, methods and payees in the form in which they are compared', async () => {
    const on = await scene()
    const { body } = await on.put({
      preset: 'open',
      rules: [
        { ...rule, match: { method: ['post', 'POST'], host: 'API.Example.com.:443' } },
        {
          action: 'payment.send',
          match: { payee: '0xd8da6bf26964af9d7eed9e03e53415d37aa96045' },
          when: { maxUsd: '0.10' },
          then: 'allow',
        },
      ],
    })
    expect(body.rules).toMatchObject([
      { match: { method: ['POST'], host: 'api.example.com' } },
      { match: { payee: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' }, when: { maxUsd: '0.10' } },
    ])
  })

  it.each([
    [{ preset: 'shut', rules: [] }, 'preset must be one of open, guarded, locked'],
    [{ rules: [] }, 'preset must be one of open, guarded, locked'],
    [{ preset: 'open' }, 'rules must be a list'],
    [
      { ...rule, match: { url: '*' } },
      'rules.0.match.url: not a field of broker.request; use name, method, host, path',
    ],
    [
      { action: 'exec', match: { host: '*' }, then: 'deny' },
      'rules.0.match.host: not a field of exec; use command',
    ],
    [{ ...rule, matches: {} }, 'rules.0: matches is not a field of a rule'],
    [{ ...rule, when: { perday: 1 } }, 'rules.0.when: perday is not a field of when'],
    [{ ...rule, when: { maxUsd: '1' } }, 'rules.0.when.maxUsd: only payment.send has an amount'],
    [
      { ...rule, when: { perDay: 1 }, then: 'deny' },
      'rules.0.when.perDay: a rule that denies counts nothing',
    ],
    [{ ...rule, when: { perDay: 0 } }, 'rules.0.when.perDay: perDay must be at least 1'],
    [{ ...rule, when: { perDay: 1.5 } }, 'rules.0.when.perDay: perDay must be a whole number'],
    [
      { action: 'payment.send', when: { maxUsd: 1 }, then: 'ask' },
      'rules.0.when.maxUsd: maxUsd must be a decimal number as a string',
    ],
    [
      { action: 'payment.send', when: { maxUsd: '1e3' }, then: 'ask' },
      'rules.0.when.maxUsd: maxUsd must be a decimal number with at most 6 decimals',
    ],
    [
      { ...rule, when: { hours: { from: '9:00', to: '17:00' } } },
      'rules.0.when.hours.from: from must be a time like 09:30',
    ],
    [
      { ...rule, when: { hours: { from: '09:00', to: '09:00' } } },
      'rules.0.when.hours: from and to must differ',
    ],
    [
      { ...rule, when: { hours: { from: '09:00', to: '17:00', timezone: 'Mars/Base' } } },
      'rules.0.when.hours.timezone: timezone must be a time zone like Europe/Berlin',
    ],
    [
      { ...rule, match: { path: '/a?b=c' } },
      'rules.0.match.path: must be decoded and without a query: write " " for %20',
    ],
    [
      { ...rule, match: { path: '/a%20b' } },
      'rules.0.match.path: must be decoded and without a query: write " " for %20',
    ],
    [{ ...rule, match: { path: 'a' } }, 'rules.0.match.path: must begin with "/" or "*"'],
    [
      { ...rule, match: { method: 'SEND' } },
      'rules.0.match.method: must match one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    ],
    [
      { ...rule, match: { host: 'https://a.b' } },
      'rules.0.match.host: must be a host, such as *.example.com',
    ],
    [{ ...rule, match: { name: [] } }, 'rules.0.match.name: must not be empty'],
    [
      { ...rule, match: { name: Array.from({ length: 51 }, (_, i) => `${i}`) } },
      'rules.0.match.name: must be a text or a list of at most 50 texts',
    ],
    [
      { ...rule, match: { name: 'a'.repeat(257) } },
      'rules.0.match.name: must have at most 256 characters',
    ],
    [
      { action: 'payment.send', match: { payee: '0x12' }, then: 'deny' },
      'rules.0.match.payee: payee must be 0x and 40 hex digits',
    ],
    [
      {
        action: 'payment.send',
        match: { payee: '0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045' },
        then: 'deny',
      },
      'rules.0.match.payee: payee has a wrong checksum',
    ],
    [
      { action: 'fly', then: 'deny' },
      'rules.0.action: action must be one of broker.request, tool.call, message.send, payment.send, channel.send, schedule.write, exec',
    ],
    [{ action: 'exec', then: 'maybe' }, 'rules.0.then: then must be one of allow, ask, deny'],
    [
      { preset: 'open', rules: Array.from({ length: 101 }, () => rule) },
      'rules must have at most 100 entries',
    ],
    [
      {
        preset: 'open',
        rules: Array.from({ length: 100 }, () => ({ ...rule, match: { name: 'a'.repeat(200) } })),
      },
      'rules must have at most 16384 characters as JSON',
    ],
  ])('is refused as %j', async (given, error) => {
    const on = await scene()
    const body = 'then' in given ? { preset: 'open', rules: [given] } : given
    expect(await on.put(body)).toEqual({ status: 400, body: { error } })
    expect((await on.get()).body).toEqual(defaultPolicy)
  })
})

describe('a test of a policy', () => {
  it('says what the policy means, and changes nothing', async () => {
    const on = await scene()
    const { status, body } = await on.test({ days: 30, preset: 'locked', rules: [rule] })
    expect(status).toBe(200)
    expect(body).toEqual({
      days: 30,
      counts: { allow: 0, ask: 0, deny: 0 },
      records: [],
      sentences: [
        '1. Ask before requests with a broker credential if the method is "POST".',
        'Deny everything else that writes, sends or pays. Allow everything else that only reads.',
      ],
    })
    expect((await on.get()).body).toEqual(defaultPolicy)
  })

  it.each([0, 31, 1.5, '7', undefined])('is refused for %j days', async (days) => {
    const on = await scene()
    const { status, body } = await on.test({ days })
    expect([status, body.error]).toEqual([400, expect.stringContaining('days')])
  })
})

import { describe, expect, it } from 'vitest'
import * as policies from '#functions/web/policies.ts'
import { listApprovals } from '#shared/permits/approvals/list.ts'
import type { Rule } from '#shared/permits/policy/policy.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { setPolicyOf } from '#tests/support/permits/policy.ts'
import { userContext } from '#tests/support/platform/context.ts'
import { recorded } from '#tests/support/platform/recorded-queues.ts'
import { recording } from '#tests/support/platform/recorded-table.ts'
import { useBrokerScene } from '#tests/support/tools/broker-with-host.ts'
import { brokerOver } from '#tests/support/tools/broker.ts'

const on = useBrokerScene('a-value-of-hers')

const ask = (path: string, init?: RequestInit) => on.ask(`/api/${on.host}${path}`, init)

const set = (preset: 'open' | 'guarded' | 'locked', rules: Rule[] = []) =>
  setPolicyOf(
    on.accounts.table,
    { userId: on.user.id, agentId: on.agent.agentId },
    { preset, rules },
  )

const denied = { error: expect.any(String), code: 'POLICY_DENIED', action: 'broker.request' }

describe('a request with a broker credential', () => {
  it('that the policy denies is answered with the rule, and the host gets nothing', async () => {
    await set('open', [
      { action: 'broker.request', match: { method: 'GET' }, then: 'allow' },
      { action: 'broker.request', match: { path: '/admin/*' }, then: 'deny' },
    ])
    for (const path of ['/admin/a', '//admin/a', '/%61dmin/a', '/admin;x/a', '/ADMIN/a']) {
      const answer = await ask(path, { method: 'POST', body: 'x' })
      expect([path, answer.status, await answer.json()]).toEqual([
        path,
        403,
        { ...denied, rule: 2 },
      ])
    }
    expect(on.seen).toEqual([])
    expect(await on.requests()).toEqual([])
    expect((await ask('/admin/a')).status).toBe(200)
  })

  it('that only reads passes a locked policy, unless a header or the query names another method', async () => {
    await set('locked')
    expect((await ask('/')).status).toBe(200)
    for (const init of [
      { method: 'POST' },
      { method: 'DELETE' },
      { headers: { 'x-http-method-override': 'DELETE' } },
      { headers: { 'X-Method-Override': 'get, patch' } },
      { headers: { 'x_http-method_override': 'DELETE' } },
    ]) {
      const answer = await ask('/', init)
      expect([answer.status, await answer.json()]).toEqual([403, { ...denied, rule: 'locked' }])
    }
    for (const query of [
      '_method=DELETE',
      'a=b&%5Fmethod=delete',
      'a=b;_METHOD=PUT',
      '.method=PATCH',
      '+_method=get,put',
      'X-HTTP-Method-Override=DELETE',
    ])
      expect([query, (await ask(`/?${query}`)).status]).toEqual([query, 403])
    expect((await ask('/?method=DELETE&_method=')).status).toBe(200)
    expect(on.seen).toHaveLength(2)
  })

  it('that needs an approval is described with the method that the host may use, and that it has a query', async () => {
    await set('guarded')
    const { user, host } = on
    for (const [path, headers] of [
      ['/a?_method=delete&to=x', {}],
      ['/b', { 'x-http-method-override': 'DELETE https://elsewhere.example/' }],
      [`/${'c'.repeat(600)}`, { 'x-method-override': 'PUT' }],
    ] as const)
      expect((await ask(path, { headers })).status).toBe(202)
    const ctx = await userContext(on.accounts.table, user.id)
    const { items } = await listApprovals(ctx, { limit: 3, state: 'pending' } as never)
    expect(items.map(({ summary }) => summary).toReversed()).toEqual([
      `GET as DELETE https://${host}/a?…, with the credential api`,
      `GET as another method https://${host}/b, with the credential api`,
      expect.stringMatching(/^GET as PUT https:\/\/localhost:\d+\/c{400,}…$/),
    ])
  })

  it('is allowed as often a day as its rule says, by concurrent requests too', async () => {
    const rules: Rule[] = [
      { action: 'broker.request', when: { perDay: 5 }, then: 'allow' },
      { action: 'broker.request', then: 'deny' },
    ]
    await set('open', rules)
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/')))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(5)
    expect(statuses.filter((status) => status === 403)).toHaveLength(15)
    // Another position of the rule keeps its count.
    await set('open', [{ action: 'exec', then: 'deny' }, ...rules])
    expect(await (await ask('/')).json()).toMatchObject({ ...denied, rule: 3 })
  })

  it('is counted once by the rule that asks, however often the same request is sent', async () => {
    await set('open', [
      { action: 'broker.request', when: { perDay: 3 }, then: 'ask' },
      { action: 'broker.request', then: 'deny' },
    ])
    const idOf = async (path: string) =>
      ((await (await ask(path)).json()) as { approvalId?: string }).approvalId
    const first = await idOf('/1')
    for (let i = 0; i < 5; i++) expect(await idOf('/1')).toBe(first)
    const others = [await idOf('/2'), await idOf('/3')]
    expect(new Set([first, ...others]).size).toBe(3)
    expect((await ask('/4')).status).toBe(403)
  })

  it('is refused if a hundred requests of the agent wait already', async () => {
    await set('open', [{ action: 'broker.request', then: 'ask' }])
    const statuses = new Set<number>()
    for (let i = 0; i < 100; i++) statuses.add((await ask(`/${i}`)).status)
    expect([...statuses]).toEqual([202])
    const full = await ask('/100')
    expect([full.status, await full.json()]).toEqual([
      429,
      {
        error: '100 requests of this agent already wait for a decision',
        code: 'APPROVALS_FULL',
        current: 100,
        limit: 100,
      },
    ])
    expect(full.headers.get('x-should-retry')).toBe('false')
    expect((await ask('/7')).status).toBe(202)
  })

  it('that needs an approval requests the mail to its owner, and not from the tick', async () => {
    await set('guarded')
    const { queues, waiting } = recorded()
    const broker = brokerOver(on.accounts.table, { allowed: [on.host], queues })
    for (const path of ['/a', '/a', '/b'])
      await broker.ask(on.agent.key, `/api/${on.host}${path}`, { method: 'POST' })
    // The second request waits already, and the third is listed by the same mail.
    expect(waiting).toEqual([{ userId: on.user.id, attempt: expect.any(Number) }])
  })

  it('takes no further request to the table with the default policy, one with another', async () => {
    const table = recording(on.accounts.table)
    const broker = brokerOver(table.table, { allowed: [on.host] })
    const callsOf = async () => {
      table.calls.length = 0
      await (await broker.ask(on.agent.key, `/api/${on.host}/`)).text()
      return [...table.calls]
    }
    const before = await callsOf()
    await set('guarded')
    expect((await callsOf()).toSorted()).toEqual([...before, 'get'].toSorted())
    await set('open')
    expect(await callsOf()).toEqual(before)
    expect(before).not.toContain('get')
  })

  it('is replayed by a test of a policy, as if its path were unknown', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PUT'])
      await (await ask('/a?secret=x', { method })).text()
    const call = callerOf(policies, { table: on.accounts.table })
    const replayed = async (...rules: Rule[]) => {
      const answer = await call('POST', `/api/agents/${on.agent.agentId}/policy/test`, {
        session: on.user.session,
        body: { days: 1, preset: 'guarded', rules },
      })
      return (await answer.json()) as { counts: object; records: object[] }
    }
    const record = (method: string, then: string, rule: number | string) => ({
      at: expect.any(String),
      action: 'broker.request',
      target: { name: 'api', method, host: on.host },
      then,
      rule,
    })
    const once: Rule = {
      action: 'broker.request',
      match: { method: 'PUT' },
      when: { perDay: 1 },
      then: 'allow',
    }
    expect(await replayed(once)).toMatchObject({
      counts: { allow: 2, ask: 2, deny: 0 },
      records: [
        record('PUT', 'ask', 'guarded'),
        record('PUT', 'allow', 1),
        record('POST', 'ask', 'guarded'),
        record('GET', 'allow', 'guarded'),
      ],
    })
    const byPath = (then: 'allow' | 'deny'): Rule => ({
      action: 'broker.request',
      match: { path: '/b' },
      then,
    })
    expect((await replayed(byPath('deny'))).counts).toEqual({ allow: 0, ask: 0, deny: 4 })
    expect((await replayed(byPath('allow'))).counts).toEqual({ allow: 1, ask: 3, deny: 0 })
  })
})

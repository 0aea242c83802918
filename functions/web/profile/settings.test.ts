import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endSessions } from '#shared/accounts/users/end-sessions.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { eventContext } from '#tests/support/platform/context.ts'
import { before } from '#tests/support/platform/recorded-table.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'

let database: TestTable
let accounts: Accounts
let count = 0
/** Runs once before the next update. */
let meanwhile: (() => Promise<unknown>) | undefined

beforeAll(async () => {
  database = await startTestTable()
  const table = before(database.table, async (name) => {
    if (name !== 'update') return
    const task = meanwhile
    meanwhile = undefined
    await task?.()
  })
  accounts = await startAccounts({ table })
})
afterAll(async () => {
  await accounts.close()
  await database.close()
})

async function ask(
  method: string,
  session: string,
  body?: unknown,
): Promise<[number, Record<string, unknown>]> {
  const answer = await accounts.call(method, '/api/settings', { session, body })
  return [answer.status, (await answer.json()) as Record<string, unknown>]
}

const profileRow = (id: string) => accounts.table.get({ pk: `user#${id}`, sk: 'profile' })

describe.each(['POST', 'PATCH'])('%s /api/settings', (method) => {
  const user = (name: string) => accounts.signUp(`${name}-${method}@b.co`.toLowerCase())

  it('changes the name and returns the whole profile, as GET does', async () => {
    const { id, session } = await user('name')
    const expected = {
      id,
      email: `name-${method.toLowerCase()}@b.co`,
      name: 'Ada',
      plan: 'free',
      credits: 0,
      twoFactorEnabled: false,
      spendCapUsd: null,
      spendCapUsdPerDay: null,
    }
    expect(await ask(method, session, { name: ' Ada ' })).toEqual([200, expected])
    expect(await ask('GET', session)).toEqual([200, expected])
    expect(await ask(method, session, {})).toEqual([200, expected])
  })

  it('stores a name on one line, without invalid characters', async () => {
    const { session } = await user('line')
    const [, { name }] = await ask(method, session, {
      name: 'Ada\r\nBcc: x@y.co\u0000\uD800\u2028!',
    })
    expect(name).toBe('Ada Bcc: x@y.co \uFFFD !')
  })

  it.each([
    ['an empty name', { name: ' \n ' }, /name/],
    ['101 characters', { name: 'a'.repeat(101) }, /name/],
    ['a number', { name: 7 }, /name/],
    ['null', { name: null }, /name/],
  ])('rejects %s and changes nothing', async (_, body, message) => {
    const { id, session } = await accounts.signUp(`bad${++count}@b.co`)
    const row = await profileRow(id)
    const [status, { error }] = await ask(method, session, body)
    expect(status).toBe(400)
    expect(error).toMatch(message)
    expect(await profileRow(id)).toEqual(row)
  })

  it('updates only named fields, and ignores unknown ones', async () => {
    const { id, session } = await user('more')
    const other = await user('victim')
    const row = await profileRow(id)
    const greedy = {
      id: other.id,
      plan: 'network',
      credits: 999,
      emailVerified: true,
      isAdmin: true,
    }
    expect((await ask(method, session, { ...greedy, passwordHash: '', accessEpoch: 9 }))[0]).toBe(
      200,
    )
    expect(await profileRow(id)).toEqual(row)
  })

  it('is rejected without a session, and after its end', async () => {
    expect((await ask(method, 'nonsense', { name: 'Eve' }))[0]).toBe(401)
    const { id, session } = await user('ended')
    meanwhile = () => endSessions(eventContext(database.table), { userId: id })
    expect((await ask(method, session, { name: 'Eve' }))[0]).toBe(401)
    expect(await profileRow(id)).toMatchObject({ name: expect.stringContaining('@') })
  })
})

describe('PATCH /api/settings', () => {
  it('keeps notifications as they were sent, until an update', async () => {
    const { session } = await accounts.signUp('notify@b.co')
    expect((await ask('GET', session))[1]).not.toHaveProperty('notifications')
    const odd = { email: true, quiet: { from: '22:00', '': [1e300, 5e-324, null] }, 'a\uD800': 'ü' }
    for (const notifications of [odd, { sms: false }, {}]) {
      const [status, answer] = await ask('PATCH', session, { notifications })
      expect([status, answer.notifications]).toEqual([200, notifications])
      await ask('PATCH', session, { name: 'Ada' })
      expect((await ask('GET', session))[1]).toMatchObject({ name: 'Ada', notifications })
    }
    expect((await ask('POST', session, {}))[1].notifications).toEqual({})
  })

  it('stores whether credits are used, and returns it once set', async () => {
    const { id, session } = await accounts.signUp('use-credits@b.co')
    expect((await ask('GET', session))[1]).not.toHaveProperty('useCredits')
    for (const useCredits of [false, true, false]) {
      const [status, answer] = await ask('PATCH', session, { useCredits })
      expect([status, answer.useCredits]).toEqual([200, useCredits])
      expect((await ask('PATCH', session, { name: 'Ada' }))[1]).toMatchObject({ useCredits })
      for (const method of ['GET', 'POST'])
        expect((await ask(method, session, method === 'POST' ? {} : undefined))[1]).toMatchObject({
          useCredits,
        })
    }
    for (const useCredits of ['false', 0, null]) {
      const [status, { error }] = await ask('PATCH', session, { useCredits })
      expect([status, error]).toEqual([400, expect.stringContaining('useCredits')])
    }
    expect(await profileRow(id)).toMatchObject({ useCredits: false })
  })

  it.each([
    ['a string', 'all', /notifications/],
    ['a list', [], /notifications/],
    ['null', null, /notifications/],
    ['5,000 characters', { a: 'a'.repeat(5000) }, /at most 4096/],
    ['a hundred thousand levels of nesting', 'deep', /8 deep/],
  ])('rejects %s as notifications', async (_, notifications, message) => {
    const { session } = await accounts.signUp(`notify${++count}@b.co`)
    const text =
      notifications === 'deep'
        ? `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
        : JSON.stringify(notifications)
    const answer = await patchText(session, `{"notifications":${text}}`)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: expect.stringMatching(message) })
  })

  it('ignores keys that objects inherit', async () => {
    const { session } = await accounts.signUp('proto@b.co')
    const answer = await patchText(session, '{"notifications":{"__proto__":{"x":1},"y":1}}')
    expect(answer.status).toBe(200)
    const { notifications } = await platformOver(accounts.call, { session }).settings.get()
    expect(notifications?.x).toBeUndefined()
    expect(notifications?.y).toBe(1)
  })

  it.each([
    [25, 25],
    [0, 0],
    [0.1234567, 0.123457],
    [5e-324, 0],
    [1e9, 1e9],
  ])('stores a spend cap of %d USD, which null clears', async (spendCapUsd, stored) => {
    const { id, session } = await accounts.signUp(`cap${++count}@b.co`)
    const profile = (await ask('GET', session))[1]
    const capped = { ...profile, spendCapUsd: stored }
    expect(await ask('PATCH', session, { spendCapUsd })).toEqual([200, capped])
    expect(await profileRow(id)).toMatchObject({ spendCapUsd: stored })
    expect(await ask('GET', session)).toEqual([200, capped])
    expect(await ask('POST', session, {})).toEqual([200, capped])
    expect(await ask('PATCH', session, { spendCapUsd: null })).toEqual([200, profile])
    expect(await profileRow(id)).not.toHaveProperty('spendCapUsd')
  })

  it('stores a daily spend cap in addition to the monthly one, which null clears', async () => {
    const { id, session } = await accounts.signUp(`cap${++count}@b.co`)
    const caps = { spendCapUsd: 20, spendCapUsdPerDay: 1.5 }
    const [status, profile] = await ask('PATCH', session, caps)
    expect([status, profile]).toEqual([200, expect.objectContaining(caps)])
    expect(await ask('PATCH', session, { spendCapUsdPerDay: null })).toEqual([
      200,
      { ...profile, spendCapUsdPerDay: null },
    ])
    const row = await profileRow(id)
    expect(row).toMatchObject({ spendCapUsd: 20 })
    expect(row).not.toHaveProperty('spendCapUsdPerDay')
  })

  it.each([-1, 1e10, '5', true, {}])('rejects %j as a spend cap', async (spendCapUsd) => {
    const { session } = await accounts.signUp(`cap${++count}@b.co`)
    const [status, { error }] = await ask('PATCH', session, { spendCapUsd })
    expect(status).toBe(400)
    expect(error).toMatch(/spendCapUsd/)
  })

  function patchText(session: string, text: string) {
    return accounts.call('PATCH', '/api/settings', { session, text })
  }
})

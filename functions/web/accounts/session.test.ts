import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Table } from '#shared/platform/table/port.ts'
import {
  type Accounts,
  password,
  sessionOf,
  startAccounts,
} from '#tests/support/accounts/accounts.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { anyCharacter } from '#tests/support/platform/any-character.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'

let database: TestTable
let accounts: Accounts
/** The called methods of the table, in order. */
const calls: string[] = []

beforeAll(async () => {
  database = await startTestTable()
  accounts = await startAccounts({
    table: counting(database.table),
    adminEmails: ['root@b.co'],
  })
})
afterAll(async () => {
  await accounts.close()
  await database.close()
})

function counting(table: Table): Table {
  return new Proxy(table, {
    get(target, name: keyof Table) {
      return (...given: never[]) => {
        calls.push(name)
        return (target[name] as (...given: never[]) => unknown)(...given)
      }
    },
  })
}

const userOf = (session: string) => platformOver(accounts.call, { session }).auth.session()

describe('a session', () => {
  it('is set by sign-in as an HttpOnly cookie of 30 days, and stored without its token', async () => {
    const { id } = await accounts.signUp('cookie@b.co')
    const body = { email: ' COOKIE@b.co', password }
    const answer = await accounts.call('POST', '/api/auth/login', { body })
    expect(await answer.json()).toEqual({ ok: true, user: { id, name: 'cookie@b.co' } })
    const [cookie] = answer.headers.getSetCookie()
    expect(cookie).toMatch(/^service-session=usr_[^.]+\.[\w-]{43}; /)
    expect(cookie?.split('; ').slice(1).sort()).toEqual([
      'HttpOnly',
      'Max-Age=2592000',
      'Path=/',
      'SameSite=Lax',
    ])
    const token = sessionOf(answer).split('.')[1] ?? ''
    const rows = await accounts.table.query({ pk: `user#${id}`, beginsWith: 'session#' })
    expect(rows.items).toHaveLength(2)
    expect(JSON.stringify(rows.items)).not.toContain(token)
  })

  it('is Secure unless on a local machine', async () => {
    const deployed = await startAccounts({ webUrl: 'https://app.example.com' })
    const body = { email: 'secure@b.co', password }
    await deployed.call('POST', '/api/register', { body })
    const answer = await deployed.call('POST', '/api/auth/login', { body })
    expect(answer.headers.getSetCookie()[0]).toMatch(/; Secure/)
    await deployed.close()
  })

  it('is checked by exactly one read', async () => {
    const { id, session } = await accounts.signUp('once@b.co')
    calls.length = 0
    expect(await userOf(session)).toEqual({
      id,
      name: 'once@b.co',
      email: 'once@b.co',
      isAdmin: false,
    })
    expect(calls).toEqual(['getMany'])
  })

  it('ends at sign-out, which always succeeds', async () => {
    const { session } = await accounts.signUp('out@b.co')
    const other = await accounts.signUp('stays@b.co')
    for (const call of [{ session }, { session }, { session: 'nonsense' }, {}]) {
      const answer = await accounts.call('POST', '/api/auth/signout', call)
      expect([answer.status, await answer.json()]).toEqual([200, { ok: true }])
      expect(answer.headers.getSetCookie()[0]).toMatch(/^service-session=; Max-Age=0; Path=\//)
    }
    expect(await userOf(session)).toBeNull()
    expect(await userOf(other.session)).not.toBeNull()
  })

  it('ends after 30 days', async () => {
    const { id, session } = await accounts.signUp('late@b.co')
    const [row] = (await accounts.table.query({ pk: `user#${id}`, beginsWith: 'session#' })).items
    const inThirtyDays = Date.now() / 1000 + 30 * 86_400
    expect(Math.abs(Number(row?.expiresAt) - inThirtyDays)).toBeLessThan(60)
    await accounts.table.put({ ...row!, expiresAt: Math.floor(Date.now() / 1000) })
    expect(await userOf(session)).toBeNull()
  })

  it('is absent without a cookie, and costs no read', async () => {
    calls.length = 0
    const answer = await accounts.call('GET', '/api/auth/session')
    expect([answer.status, await answer.json()]).toEqual([200, { user: null }])
    expect(calls).toEqual([])
  })

  it('cannot be derived from another’s token', async () => {
    const ada = await accounts.signUp('ada@b.co')
    const bob = await accounts.signUp('bob@b.co')
    const token = bob.session.split('.')[1]
    expect(await userOf(`${ada.id}.${token}`)).toBeNull()
  })

  it('is accepted from no cookie that sign-in did not set', async () => {
    const { id, session } = await accounts.signUp('fuzz@b.co')
    const token = session.split('.')[1] ?? ''
    const part = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom(id, token, '', '@platform', '__proto__', `${id}#session`, 'profile'),
    )
    await fc.assert(
      fc.asyncProperty(part, part, fc.constantFrom('.', '#', '..', ''), async (a, b, between) => {
        const cookie = encodeURIComponent(`${a}${between}${b}`)
        fc.pre(decodeURIComponent(cookie) !== session)
        expect(await userOf(cookie)).toBeNull()
      }),
      { numRuns: 200 },
    )
  })
})

describe('GET /api/settings', () => {
  it('answers exactly the profile', async () => {
    const { id, session } = await accounts.signUp('settings@b.co')
    const answer = await accounts.call('GET', '/api/settings', { session })
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        id,
        email: 'settings@b.co',
        name: 'settings@b.co',
        plan: 'free',
        credits: 0,
        twoFactorEnabled: false,
        spendCapUsd: null,
        spendCapUsdPerDay: null,
      },
    ])
  })

  it('rejects a request without a session', async () => {
    for (const call of [{}, { session: 'usr_1.x' }, { headers: { authorization: 'Bearer x' } }]) {
      const answer = await accounts.call('GET', '/api/settings', call)
      expect([answer.status, await answer.json()]).toEqual([401, { error: 'Unauthorized' }])
    }
  })
})

describe('GET /api/auth/csrf', () => {
  it('returns a token that permits changes only with its own session', async () => {
    const { session } = await accounts.signUp('csrf@b.co')
    const other = await accounts.signUp('csrf2@b.co')
    const { token } = await platformOver(accounts.call, { session }).auth.csrfToken()
    const from = { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' }
    const body = { email: 'csrf@b.co', password }
    const act = (session: string, headers: Record<string, string>) =>
      accounts.call('POST', '/api/auth/login', { session, body, headers: { ...from, ...headers } })
    expect((await act(session, {})).status).toBe(403)
    expect((await act(other.session, { 'x-csrf-token': token })).status).toBe(403)
    expect((await act(session, { 'x-csrf-token': token })).status).toBe(200)
  })

  it('rejects a token request without a session', async () => {
    expect((await accounts.call('GET', '/api/auth/csrf')).status).toBe(401)
  })
})

describe('an admin', () => {
  it('is a user who has verified an address of ADMIN_EMAILS', async () => {
    const { id, session } = await accounts.signUp('root@b.co')
    expect(await userOf(session)).toMatchObject({ isAdmin: false })
    await accounts.table.update(
      { pk: `user#${id}`, sk: 'profile' },
      { set: { emailVerified: true } },
    )
    expect(await userOf(session)).toMatchObject({ isAdmin: true })
  })
})

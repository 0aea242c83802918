import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endAccess, endSessions } from '#shared/accounts/users/end-sessions.ts'
import { type OAuth, startOAuth } from '#tests/support/accounts/oauth.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { eventContext } from '#tests/support/platform/context.ts'
import { recording } from '#tests/support/platform/recorded-table.ts'

let on: OAuth
let ada: { id: string; session: string }

beforeAll(async () => {
  on = await startOAuth()
  ada = await on.signUp('ada@b.co')
})
afterAll(() => on.close())

const refused = (error: string) => [400, { error, error_description: expect.any(String) }]

const refresh = (
  { clientId, refresh_token }: { clientId: string; refresh_token: string },
  more: Record<string, string> = {},
) =>
  on.post('/oauth/token', {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token,
    ...more,
  })

const grantOf = async (userId: string) =>
  (await on.table.query({ pk: `user#${userId}`, beginsWith: 'grant#' })).items[0]

describe('an access token', () => {
  it('is verified in one read, and is valid for an hour', async () => {
    const { id, session } = await on.signUp('hour@b.co')
    const { access_token: key } = await on.tokensFor(session)
    const { table, calls } = recording(on.table)
    await on.startProcess(table)('GET', '/api/keys', { key })
    expect(calls).toEqual(['getMany', 'query'])
    const grant = await grantOf(id)
    const [first] = (grant?.access ?? []) as { hash: string; until: string }[]
    expect(Math.abs(Date.parse(first?.until ?? '') - Date.now() - 3_600_000)).toBeLessThan(60_000)
    const until = new Date(Date.now() - 1).toISOString()
    await on.table.update(
      { pk: grant?.pk ?? '', sk: grant?.sk ?? '' },
      { set: { access: [{ ...first, until }] } },
    )
    expect(await on.opens(key)).toBe(false)
  })

  it('is accepted only complete and unchanged, and only from this server', async () => {
    const { access_token: token } = await on.tokensFor(ada.session)
    const other = await startOAuth()
    const { session } = await other.signUp('ada@b.co')
    const foreign = await other.tokensFor(session)
    await other.close()
    expect(await on.opens(foreign.access_token)).toBe(false)
    const text = fc.oneof(
      fc.stringMatching(/^at_[0-9a-f]{96}$/),
      fc.constantFrom(token.slice(0, -1), `${token}0`, token.toUpperCase(), token.slice(3)),
      fc.nat(95).map((at) => {
        const i = at + 3
        return token.slice(0, i) + (token[i] === '0' ? '1' : '0') + token.slice(i + 1)
      }),
    )
    await fc.assert(
      fc.asyncProperty(text, async (one) => {
        expect(await on.opens(one)).toBe(false)
      }),
      { numRuns: 100 },
    )
    expect(await on.opens(token)).toBe(true)
  })

  it('is not a key, and is rejected on routes that require a session', async () => {
    const { access_token: key } = await on.tokensFor(ada.session, {
      scope: 'read chat write admin',
    })
    expect((await on.validate(key))[0]).toBe(401)
    const list = await on.sessions('GET', '/api/auth/sessions', { key })
    expect([list.status, await list.json()]).toMatchObject([403, { code: 'SESSION_REQUIRED' }])
    const made = await on.call('POST', '/api/keys', { key, body: { name: 'by a program' } })
    expect(made.status).toBe(201)
    const admin = { name: 'b', scopes: ['admin'] }
    expect((await on.call('POST', '/api/keys', { key, body: admin })).status).toBe(403)
  })
})

describe('a refresh token', () => {
  it('is valid once, and returns a pair of new tokens', async () => {
    const first = await on.tokensFor(ada.session)
    const [status, second] = await refresh(first)
    expect([status, second]).toMatchObject([200, { scope: 'read chat write', expires_in: 3600 }])
    expect(second.refresh_token).not.toBe(first.refresh_token)
    // Requests in progress with the old token continue.
    expect(await on.opens(first.access_token)).toBe(true)
    expect(await on.opens(String(second.access_token))).toBe(true)
  })

  it('a refresh token that is used twice revokes all tokens of its grant, and no other', async () => {
    const other = await on.tokensFor(ada.session)
    const first = await on.tokensFor(ada.session)
    const [, second] = await refresh(first)
    expect(await refresh(first)).toEqual(refused('invalid_grant'))
    const last = { clientId: first.clientId, refresh_token: String(second.refresh_token) }
    expect(await refresh(last)).toEqual(refused('invalid_grant'))
    for (const token of [first.access_token, String(second.access_token)])
      expect(await on.opens(token)).toBe(false)
    expect(await on.opens(other.access_token)).toBe(true)
  })

  it('a refresh token with two concurrent uses returns tokens once at most, and revokes the grant', async () => {
    const first = await on.tokensFor(ada.session)
    const answers = await Promise.all([refresh(first), refresh(first)])
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
    const [, won] = answers.find(([status]) => status === 200) ?? []
    expect(await on.opens(String(won?.access_token))).toBe(false)
  })

  it('is not revoked by guesses, by another program, or by a request for more scopes', async () => {
    const first = await on.tokensFor(ada.session, { scope: 'read' })
    const guess = `rt_${'0'.repeat(64)}${first.refresh_token.slice(67)}`
    expect(await refresh({ ...first, refresh_token: guess })).toEqual(refused('invalid_grant'))
    const thief = { ...first, clientId: await on.register() }
    expect(await refresh(thief)).toEqual(refused('invalid_grant'))
    expect(await refresh(first, { scope: 'read write' })).toEqual(refused('invalid_scope'))
    expect((await refresh(first))[0]).toBe(200)
  })
})

describe('a grant', () => {
  it('is listed and ended with the sessions, only by its user', async () => {
    const { session } = await on.signUp('listed@b.co')
    const other = await on.signUp('other@b.co')
    const { access_token: token } = await on.tokensFor(session)
    const list = () => platformOver(on.sessions, { session }).auth.listSessions()
    const grant = (await list()).find(({ id }) => id.startsWith('gra_'))
    expect(grant).toEqual({
      id: expect.any(String),
      createdAt: expect.any(String),
      lastSeenAt: expect.any(String),
      userAgent: 'Editor',
      address: expect.any(String),
      current: false,
    })
    const end = (by: string) =>
      on.sessions('DELETE', `/api/auth/sessions/${grant?.id}`, { session: by })
    expect((await end(other.session)).status).toBe(404)
    expect(await on.opens(token)).toBe(true)
    expect((await end(session)).status).toBe(200)
    expect(await on.opens(token)).toBe(false)
    expect((await end(session)).status).toBe(404)
    expect(await list()).toHaveLength(1)
  })

  it.each([
    ['a new password', endSessions],
    ['a hijacked account', endAccess],
  ])('ends at once with the sessions by %s', async (name, ending) => {
    const { id, session } = await on.signUp(`${name.replaceAll(' ', '-')}@b.co`)
    const tokens = await on.tokensFor(session)
    await ending(eventContext(on.table), { userId: id })
    expect(await on.opens(tokens.access_token)).toBe(false)
    expect(await refresh(tokens)).toEqual(refused('invalid_grant'))
    expect(await grantOf(id)).toBeUndefined()
  })

  it('is revoked by either token, and by no guess', async () => {
    for (const name of ['access_token', 'refresh_token'] as const) {
      const tokens = await on.tokensFor(ada.session)
      const revoke = (token: string, client_id = tokens.clientId) =>
        on.post('/oauth/revoke', { token, client_id })
      const guess = tokens[name].replace(/^(..)_.{32}/, `$1_${'0'.repeat(32)}`)
      expect(await revoke(guess)).toEqual([200, {}])
      expect(await revoke(tokens[name], await on.register())).toEqual([200, {}])
      expect(await on.opens(tokens.access_token)).toBe(true)
      expect(await revoke(tokens[name])).toEqual([200, {}])
      expect(await on.opens(tokens.access_token)).toBe(false)
      expect(await revoke(tokens[name])).toEqual([200, {}])
    }
    expect(await on.post('/oauth/revoke', {})).toEqual(refused('invalid_request'))
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bcryptPasswords, type Passwords } from '#shared/accounts/users/password.ts'
import { startSession } from '#shared/accounts/users/session.ts'
import {
  type Accounts,
  password,
  sessionOf,
  startAccounts,
} from '#tests/support/accounts/accounts.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'

let accounts: Accounts
let users = 0
/** Runs once while the next password is compared. */
let meanwhile: (() => Promise<unknown>) | undefined

beforeAll(async () => {
  const passwords = bcryptPasswords(4)
  const interrupted: Passwords = {
    ...passwords,
    async matches(given, stored) {
      const task = meanwhile
      meanwhile = undefined
      const result = await passwords.matches(given, stored)
      await task?.()
      return result
    },
  }
  accounts = await startAccounts({ passwords: interrupted })
})
afterAll(() => accounts.close())

const newPassword = 'battery staple'

async function change(session: string, body: unknown, ip?: string): Promise<[number, unknown]> {
  const answer = await accounts.call('POST', '/api/settings/password', {
    session,
    body,
    ...(ip !== undefined && { ip }),
  })
  return [answer.status, await answer.json()]
}

function login(email: string, password: string, ip?: string) {
  const body = { email, password }
  return accounts.call('POST', '/api/auth/login', { body, ...(ip !== undefined && { ip }) })
}

async function isSignedIn(session: string): Promise<boolean> {
  return (await platformOver(accounts.call, { session }).auth.session()) !== null
}

const done = [200, { success: true }]

describe('POST /api/settings/password', () => {
  it('changes the password and ends every other session', async () => {
    const { id, session } = await accounts.signUp('ada@b.co')
    const other = await accounts.signUp('bob@b.co')
    const others = await Promise.all(
      Array.from({ length: 60 }, () => startSession(accounts, { userId: id })),
    )
    others.push(sessionOf(await login('ada@b.co', password)))
    expect(await change(session, { currentPassword: password, newPassword })).toEqual(done)
    expect(await Promise.all(others.map(isSignedIn))).toEqual(others.map(() => false))
    expect(await isSignedIn(session)).toBe(true)
    expect(await isSignedIn(other.session)).toBe(true)
    const rows = await accounts.table.query({ pk: `user#${id}`, beginsWith: 'session#' })
    expect(rows.items).toHaveLength(1)
    expect((await login('ada@b.co', password)).status).toBe(401)
    expect((await login('ada@b.co', newPassword)).status).toBe(200)
    const mail = await accounts.mailTo('ada@b.co', /password was changed/)
    expect(mail.text + mail.html).not.toMatch(/correct horse|battery staple/)
  })

  it.each([
    ['no current password', { newPassword }, /^currentPassword required$/],
    ['no new password', { currentPassword: password }, /^newPassword required$/],
    ['7 characters', { currentPassword: password, newPassword: 'seven77' }, /at least 8/],
    ['73 bytes', { currentPassword: password, newPassword: '€'.repeat(24) + 'x' }, /at most 72/],
    ['a number', { currentPassword: password, newPassword: 12_345_678 }, /newPassword required/],
  ])('rejects %s', async (_, body, message) => {
    const { session } = await accounts.signUp(`refused${++users}@b.co`)
    const [status, answer] = await change(session, body)
    expect(status).toBe(400)
    expect(answer).toMatchObject({ error: expect.stringMatching(message) })
  })

  it('accepts 72 bytes of three-byte letters', async () => {
    const { session } = await accounts.signUp('euro@b.co')
    const long = '€'.repeat(24)
    expect(await change(session, { currentPassword: password, newPassword: long })).toEqual(done)
    expect((await login('euro@b.co', long)).status).toBe(200)
  })

  it('rejects a wrong current password, and locks the account after repeated failures', async () => {
    const { session } = await accounts.signUp('guessed@b.co')
    const guess = { currentPassword: 'wrong guess', newPassword }
    for (let i = 0; i < 5; i++)
      expect(await change(session, guess, '203.0.113.9')).toEqual([
        401,
        { error: 'Current password is wrong' },
      ])
    const [status] = await change(session, { currentPassword: password, newPassword })
    expect(status).toBe(429)
    expect(await isSignedIn(session)).toBe(true)
  })

  it('rejects a request without a session', async () => {
    for (const session of ['', 'nonsense'])
      expect(await change(session, { currentPassword: password, newPassword })).toEqual([
        401,
        { error: 'Unauthorized' },
      ])
  })

  it('sets a first password without a current one', async () => {
    const { id, session } = await accounts.signUp('keyless@b.co')
    const profile = { pk: `user#${id}`, sk: 'profile' }
    await accounts.table.update(profile, { remove: ['passwordHash'] })
    expect(await change(session, { newPassword })).toEqual(done)
    expect((await login('keyless@b.co', newPassword)).status).toBe(200)
    const [status] = await change(session, { newPassword: 'of the thief' })
    expect(status).toBe(400)
  })

  it('sends no mail to the placeholder address of a wallet', async () => {
    const { id, session } = await accounts.signUp('wallet@b.co')
    const email = '0xabc@wallet.service'
    await accounts.table.update({ pk: `user#${id}`, sk: 'profile' }, { set: { email } })
    expect(await change(session, { currentPassword: password, newPassword })).toEqual(done)
    expect((await accounts.mails()).filter(({ to }) => to === email)).toEqual([])
  })
})

describe('concurrently', () => {
  it('one of two changes succeeds, and the other requires the new password', async () => {
    const { session } = await accounts.signUp('race@b.co')
    const chosen = ['first choice', 'second choice']
    const answers = await Promise.all(
      chosen.map((newPassword) => change(session, { currentPassword: password, newPassword })),
    )
    expect(answers.map(([status]) => status).sort()).toEqual([200, 401])
    const winner = chosen[answers.findIndex(([status]) => status === 200)]
    expect((await login('race@b.co', winner ?? '')).status).toBe(200)
  })

  it('a sign-in with the old password gets no session', async () => {
    const { session } = await accounts.signUp('slow@b.co')
    meanwhile = () => change(session, { currentPassword: password, newPassword })
    const late = await login('slow@b.co', password)
    expect(late.status).toBe(200)
    expect(await isSignedIn(sessionOf(late))).toBe(false)
  })

  it('an ended session changes nothing', async () => {
    const { session } = await accounts.signUp('stolen@b.co')
    const owner = sessionOf(await login('stolen@b.co', password))
    meanwhile = () => change(owner, { currentPassword: password, newPassword })
    const stolen = { currentPassword: password, newPassword: 'of the thief' }
    expect((await change(session, stolen))[0]).toBe(401)
    expect((await login('stolen@b.co', newPassword)).status).toBe(200)
  })

  it('a session that signs out changes nothing', async () => {
    const { session } = await accounts.signUp('out@b.co')
    meanwhile = () => accounts.call('POST', '/api/auth/signout', { session })
    expect((await change(session, { currentPassword: password, newPassword }))[0]).toBe(401)
    expect((await login('out@b.co', password)).status).toBe(200)
  })
})

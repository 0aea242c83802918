import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endSessions } from '#shared/accounts/users/end-sessions.ts'
import {
  type Accounts,
  linkIn,
  password,
  sessionOf,
  startAccounts,
} from '#tests/support/accounts/accounts.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { eventContext } from '#tests/support/platform/context.ts'

fromMidMonth()

let accounts: Accounts
let users = 0

beforeAll(async () => {
  accounts = await startAccounts({ adminEmails: ['boss@b.co'] })
})
afterAll(() => accounts.close())

async function ask(session: string, email: unknown): Promise<[number, Record<string, unknown>]> {
  const body = { email, currentPassword: password }
  const answer = await accounts.call('POST', '/api/settings', { session, body })
  return [answer.status, (await answer.json()) as Record<string, unknown>]
}

/** Requests a change and returns the link from the email to the new address. */
async function linkFor(session: string, email: string): Promise<URL> {
  expect((await ask(session, email))[0]).toBe(200)
  return linkIn(await accounts.mailTo(email, /Confirm your new/))
}

async function open(link: URL, session = ''): Promise<string> {
  const answer = await accounts.call('GET', `${link.pathname}${link.search}`, { session })
  expect(answer.status).toBe(302)
  return answer.headers.get('location')?.split('?')[1] ?? ''
}

const good = 'verified=1'
const bad = 'error=VerifyFailed'

const emailOf = async (session: string) =>
  (await platformOver(accounts.call, { session }).settings.get()).email

async function signIn(email: string): Promise<number> {
  return (await accounts.call('POST', '/api/auth/login', { body: { email, password } })).status
}

async function register(email: string): Promise<number> {
  return (await accounts.call('POST', '/api/register', { body: { email, password } })).status
}

describe('a change of address', () => {
  it('waits for a confirmation of the new address, and notifies the old one', async () => {
    const { session } = await accounts.signUp('old@b.co')
    const [status, profile] = await ask(session, ' New@B.co ')
    expect([status, profile]).toEqual([200, expect.objectContaining({ email: 'old@b.co' })])
    expect(await signIn('new@b.co')).toBe(401)
    const notice = await accounts.mailTo('old@b.co', /about to change/)
    expect(notice.text).toContain('n…@b.co')
    expect(notice.text + notice.html).not.toContain('token')
    const link = linkIn(await accounts.mailTo('new@b.co', /Confirm your new/))
    expect(await open(link, session)).toBe(good)
    expect(await emailOf(session)).toBe('new@b.co')
    expect([await signIn('new@b.co'), await signIn('old@b.co')]).toEqual([200, 401])
    await accounts.mailTo('old@b.co', /was changed/)
    expect(await open(link, session)).toBe(bad)
  })

  it('requires the account’s password in addition to the link', async () => {
    const { session } = await accounts.signUp('before@b.co')
    const link = await linkFor(session, 'after@b.co')
    expect(await open(link)).toBe(link.search.slice(1))
    expect(await emailOf(session)).toBe('before@b.co')
    const body = { token: link.searchParams.get('token'), password }
    const confirm = () => accounts.call('POST', '/api/auth/verify-email', { body })
    expect((await confirm()).status).toBe(200)
    expect(await emailOf(session)).toBe('after@b.co')
    expect((await confirm()).status).toBe(400)
  })

  it('verifies the new address, and frees the old one', async () => {
    const { session } = await accounts.signUp('worker@b.co')
    await open(await linkFor(session, 'boss@b.co'), session)
    const answer = await accounts.call('GET', '/api/auth/session', { session })
    expect(await answer.json()).toMatchObject({ user: { email: 'boss@b.co', isAdmin: true } })
    expect(await register('worker@b.co')).toBe(200)
    expect(await register('boss@b.co')).toBe(409)
    await open(await linkFor(session, 'retired@b.co'), session)
    const later = await accounts.call('GET', '/api/auth/session', { session })
    expect(await later.json()).toMatchObject({ user: { isAdmin: false } })
  })

  it('is rejected at once if the address is in use, in any case of letters', async () => {
    const { session } = await accounts.signUp('wants@b.co')
    await accounts.signUp('has@b.co')
    const body = { email: 'HAS@b.co', name: 'Not this either', currentPassword: password }
    const answer = await accounts.call('POST', '/api/settings', { session, body })
    expect([answer.status, await answer.json()]).toEqual([
      409,
      { error: 'A user with this email already exists' },
    ])
    const settings = await accounts.call('GET', '/api/settings', { session })
    expect(await settings.json()).toMatchObject({ name: 'wants@b.co' })
  })

  it('reveals existing accounts only with the password, and rarely', async () => {
    const { session } = await accounts.signUp('asks@b.co')
    await accounts.signUp('known@b.co')
    const ask = async (email: string, currentPassword?: string) => {
      const body = { email, ...(currentPassword !== undefined && { currentPassword }) }
      return (await accounts.call('POST', '/api/settings', { session, body })).status
    }
    for (const input of [undefined, 'wrong horse'])
      expect(await ask('known@b.co', input)).toBe(await ask('unknown@b.co', input))
    const reports = []
    for (let i = 0; i < 12; i++) reports.push(await ask('known@b.co', password))
    expect(reports[0]).toBe(409)
    expect(reports.at(-1)).toBe(429)
  })

  it.each([
    ['an invalid address', 'ada'],
    ['nothing', ''],
    ['a wallet’s address', '0xabc@WALLET.service'],
    ['a header injection', 'a@b.co\r\nBcc: c@d.co'],
    ['look-alike letters', 'ada@example.\u212Aom'],
    ['a dotless i', 'ad\u0131n@b.co'],
    ['a number', 7],
    ['null', null],
  ])('is rejected for %s', async (_, email) => {
    const { session } = await accounts.signUp(`refused${++users}@b.co`)
    const [status, { error }] = await ask(session, email)
    expect(status).toBe(400)
    expect(error).toMatch(/email/)
  })

  it('applies to the last requested address, even if the other links are used', async () => {
    const { session } = await accounts.signUp('typo@b.co')
    const mistyped = await linkFor(session, 'strangre@b.co')
    const meant = await linkFor(session, 'stranger@b.co')
    expect(await open(mistyped, session)).toBe(bad)
    expect(await open(meant, session)).toBe(good)
    expect(await emailOf(session)).toBe('stranger@b.co')
  })

  it('is cancelled by a request for the present address', async () => {
    const { session } = await accounts.signUp('stays@b.co')
    const link = await linkFor(session, 'goes@b.co')
    expect((await ask(session, 'STAYS@b.co'))[0]).toBe(200)
    expect(await open(link, session)).toBe(bad)
    expect(await emailOf(session)).toBe('stays@b.co')
  })

  it('a change of address by a thief ends with the thief’s session', async () => {
    const { id, session } = await accounts.signUp('owner@b.co')
    const link = await linkFor(session, 'thief@b.co')
    await endSessions(eventContext(accounts.table), { userId: id })
    expect(await open(link, session)).not.toBe(good)
    const body = { email: 'owner@b.co', password }
    const again = sessionOf(await accounts.call('POST', '/api/auth/login', { body }))
    expect(await open(link, again)).toBe(bad)
    expect(await emailOf(again)).toBe('owner@b.co')
  })

  it('requires no link to the old address', async () => {
    const { session } = await accounts.signUp('first@b.co')
    const first = linkIn(await accounts.mailTo('first@b.co', /Confirm/))
    await open(await linkFor(session, 'second@b.co'), session)
    expect(await open(first, session)).toBe(bad)
  })

  it('can be reversed', async () => {
    const { session } = await accounts.signUp('ping@b.co')
    for (const email of ['pong@b.co', 'ping@b.co', 'pong@b.co'])
      expect(await open(await linkFor(session, email), session)).toBe(good)
    expect(await emailOf(session)).toBe('pong@b.co')
  })

  it('sends at most ten mails an hour to other users’ addresses', async () => {
    const { session } = await accounts.signUp('spammer@b.co')
    for (let i = 0; i < 10; i++) expect((await ask(session, `target${i}@b.co`))[0]).toBe(200)
    expect((await ask(session, 'target10@b.co'))[0]).toBe(429)
    expect((await accounts.mails()).filter(({ to }) => to === 'target10@b.co')).toEqual([])
  })
})

describe('concurrently', () => {
  it('one of many requests gets an address', async () => {
    const sessions = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => (await accounts.signUp(`rival${i}@b.co`)).session),
    )
    for (const session of sessions) expect((await ask(session, 'prize@b.co'))[0]).toBe(200)
    const mails = (await accounts.mails()).filter(({ to }) => to === 'prize@b.co')
    expect(mails).toHaveLength(8)
    const answers = await Promise.all(
      mails.flatMap((mail) => sessions.map((session) => open(linkIn(mail), session))),
    )
    expect(answers.filter((answer) => answer === good)).toHaveLength(1)
    const emails = await Promise.all(sessions.map(emailOf))
    expect(emails.filter((email) => email === 'prize@b.co')).toHaveLength(1)
    expect(await register('prize@b.co')).toBe(409)
  })

  it('a registration and a change cannot both get an address', async () => {
    for (let round = 0; round < 5; round++) {
      const email = `contested${round}@b.co`
      const { session } = await accounts.signUp(`mover${round}@b.co`)
      const link = await linkFor(session, email)
      const [registered, moved] = await Promise.all([register(email), open(link, session)])
      expect([
        [200, bad],
        [409, good],
      ]).toContainEqual([registered, moved])
    }
  })

  it('one link that is opened many times works once', async () => {
    const { session } = await accounts.signUp('eager@b.co')
    const link = await linkFor(session, 'calm@b.co')
    const answers = await Promise.all(Array.from({ length: 10 }, () => open(link, session)))
    expect(answers.filter((answer) => answer === good)).toHaveLength(1)
    expect(await emailOf(session)).toBe('calm@b.co')
  })

  it('a reset and a change end in one consistent account', async () => {
    const { session } = await accounts.signUp('torn@b.co')
    const link = await linkFor(session, 'mended@b.co')
    await accounts.call('POST', '/api/auth/forgot-password', { body: { email: 'torn@b.co' } })
    await accounts.sendResets()
    const token = linkIn(await accounts.mailTo('torn@b.co', /Set a new/)).searchParams.get('token')
    const body = { token, password }
    const [moved, reset] = await Promise.all([
      open(link, session),
      accounts.call('POST', '/api/auth/reset-password', { body }),
    ])
    expect([
      [true, 400],
      [false, 200],
    ]).toContainEqual([moved === good, reset.status])
    const email = moved === good ? 'mended@b.co' : 'torn@b.co'
    const answer = await accounts.call('POST', '/api/auth/login', { body: { email, password } })
    expect(await emailOf(sessionOf(answer))).toBe(email)
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Accounts, password, startAccounts } from '#tests/support/accounts/accounts.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'

let accounts: Accounts

beforeAll(async () => {
  accounts = await startAccounts()
})
afterAll(() => accounts.close())

function register(body: unknown, headers: Record<string, string> = {}) {
  return accounts.call('POST', '/api/register', { body, headers })
}

describe('POST /api/register', () => {
  it('creates a user without a plan and returns exactly id, email and name', async () => {
    const { auth } = platformOver(accounts.call)
    const input = { email: '  Ada@Example.COM ', password }
    const { data: user, response } = await auth.register(input).withResponse()
    expect(user).toEqual({
      id: expect.stringMatching(/^usr_/),
      email: 'ada@example.com',
      name: 'ada@example.com',
    })
    expect(response.headers.getSetCookie()).toEqual([])
    const row = await accounts.table.get({ pk: `user#${user.id}`, sk: 'profile' })
    expect(row).toMatchObject({
      plan: 'free',
      creditMicroUsd: 0,
      emailVerified: false,
      agentCount: 0,
    })
    expect(row?.subscription).toEqual({ id: null, status: 'inactive', customerId: null })
    expect(row?.passwordHash).toMatch(/^\$2b\$/)
    expect(JSON.stringify(row)).not.toContain(password)
  })

  it.each([
    ['no email', { password }, /email required/],
    ['an empty email', { email: ' ', password }, /email required/],
    ['a number as email', { email: 7, password }, /email required/],
    ['an invalid email', { email: 'ada', password }, /email/],
    ['a line break in the email', { email: 'a@b.co\r\nBcc: x@y.co', password }, /email/],
    ['an email of look-alike letters', { email: 'ada@example.\u212Aom', password }, /email/],
    ['an email of 300 characters', { email: `${'a'.repeat(300)}@b.co`, password }, /email/],
    ['a wallet address', { email: '0xabc@Wallet.Service', password }, /email/],
    ['no password', { email: 'b@b.co' }, /password required/],
    ['a short password', { email: 'b@b.co', password: 'seven77' }, /at least 8/],
    ['73 bytes of password', { email: 'b@b.co', password: 'é'.repeat(36) + 'x' }, /at most 72/],
    ['a NUL in the password', { email: 'b@b.co', password: 'correct\0horse' }, /NUL/],
    [
      'an unknown referral code',
      { email: 'b@b.co', password, referralCode: 'unknown' },
      /referral/,
    ],
    ['a malformed referral code', { email: 'b@b.co', password, referralCode: 'a_b' }, /referral/],
    ['21 characters', { email: 'b@b.co', password, referralCode: 'a'.repeat(21) }, /referral/],
  ])('rejects %s', async (_, body, message) => {
    const answer = await register(body)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: expect.stringMatching(message) })
  })

  it('accepts 72 bytes of password', async () => {
    const answer = await register({ email: 'long@b.co', password: 'é'.repeat(36) })
    expect(answer.status).toBe(200)
  })

  it('stores a name without invalid characters', async () => {
    const answer = await register({ email: 'name@b.co', password, name: ' Ada \uD800 ' })
    expect(await answer.json()).toMatchObject({ name: 'Ada \uFFFD' })
  })

  it('rejects an existing user’s address in any notation', async () => {
    await register({ email: 'taken@b.co', password })
    const answer = await register({ email: 'TAKEN@b.co ', password })
    expect(answer.status).toBe(409)
    expect(await answer.json()).toEqual({ error: expect.stringContaining('exists') })
  })

  it('creates one user for fifty concurrent requests', async () => {
    const tries = Array.from({ length: 50 }, () => register({ email: 'race@b.co', password }))
    const statuses = (await Promise.all(tries)).map((answer) => answer.status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(49)
    const mails = await accounts.mails()
    expect(mails.filter((mail) => mail.to === 'race@b.co')).toHaveLength(1)
  })
})

describe('a referral', () => {
  async function profileOf(email: string): Promise<Record<string, unknown>> {
    const owner = await accounts.table.get({ pk: `email#${email}`, sk: 'email' })
    const row = await accounts.table.get({ pk: `user#${owner?.userId}`, sk: 'profile' })
    return row ?? {}
  }

  it('is counted for the owner of the code, in any case of letters, and grants no credits yet', async () => {
    await register({ email: 'referrer@b.co', password })
    const code = String((await profileOf('referrer@b.co')).referralCode)
    expect(code).toMatch(/^[A-Z0-9-]{1,20}$/)
    await register({ email: 'friend@b.co', password, referralCode: code.toLowerCase() })
    expect(await profileOf('friend@b.co')).toMatchObject({ creditMicroUsd: 0, referredBy: code })
    expect(await profileOf('referrer@b.co')).toMatchObject({ creditMicroUsd: 0, referralCount: 1 })
  })

  it('is counted once per user, under concurrent and repeated requests', async () => {
    await register({ email: 'popular@b.co', password })
    const referralCode = String((await profileOf('popular@b.co')).referralCode)
    const emails = [...Array.from({ length: 12 }, (_, i) => `fan${i}@b.co`), 'fan0@b.co']
    await Promise.all(emails.map((email) => register({ email, password, referralCode })))
    await register({ email: 'fan1@b.co', password, referralCode })
    expect(await profileOf('popular@b.co')).toMatchObject({ referralCount: 12 })
  })
})

describe('bot detection', () => {
  const bot = { error: expect.any(String), code: 'BOT_DETECTED' }
  const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'

  it.each([
    ['a crawler', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', {}],
    ['no name', '', {}],
    ['a filled honeypot', browser, { website: 'https://spam.example' }],
    ['a honeypot filled by a tool', 'curl/8.9.0', { website: 1 }],
  ])('rejects a registration with %s', async (_, userAgent, extra) => {
    const answer = await register(
      { email: 'bot@b.co', password, ...extra },
      { 'user-agent': userAgent },
    )
    expect([answer.status, await answer.json()]).toEqual([403, bot])
  })

  it.each([browser, 'curl/8.9.0', 'HTTPie/3.2.2', 'PostmanRuntime/7.39.0', 'node'])(
    'accepts %s on one machine',
    async (userAgent) => {
      const email = `${encodeURIComponent(userAgent).replace(/\W/g, '').slice(0, 40)}@b.co`
      const answer = await register({ email, password, website: '' }, { 'user-agent': userAgent })
      expect(answer.status).toBe(200)
    },
  )
})

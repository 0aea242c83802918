import { compare } from 'bcryptjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bcryptPasswords, type Passwords } from '#shared/accounts/users/password.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { type Accounts, linkIn, password, startAccounts } from '#tests/support/accounts/accounts.ts'

let accounts: Accounts
let hashes = 0

beforeAll(async () => {
  const passwords = bcryptPasswords(4)
  const counted: Passwords = {
    hash: passwords.hash,
    matches(given, stored) {
      hashes++
      return passwords.matches(given, stored)
    },
  }
  accounts = await startAccounts({ passwords: counted })
})
afterAll(() => accounts.close())

let host = 0
/** Each test has its own address, so that tests do not lock each other out. */
const newAddress = () => `203.0.113.${++host}`

function login(body: unknown, ip = newAddress()) {
  return accounts.call('POST', '/api/auth/login', { body, ip })
}

const wrong = { error: 'Invalid email or password' }

describe('POST /api/auth/login', () => {
  it.each([
    ['no email', { password }, /email required/],
    ['no password', { email: 'a@b.co' }, /password required/],
    ['an empty password', { email: 'a@b.co', password: '' }, /password required/],
    ['numbers', { email: 1, password: 2 }, /email required/],
  ])('rejects %s with 400', async (_, body, message) => {
    const answer = await login(body)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: expect.stringMatching(message) })
  })

  it('returns the same for an unknown account and a wrong password, at the cost of one hash each', async () => {
    await accounts.signUp('known@b.co')
    hashes = 0
    for (const body of [
      { email: 'known@b.co', password: 'not my password' },
      { email: 'unknown@b.co', password },
      { email: 'no address \uDC00', password },
    ]) {
      const answer = await login(body)
      expect([answer.status, await answer.json()]).toEqual([401, wrong])
      expect(answer.headers.getSetCookie()).toEqual([])
    }
    expect(hashes).toBe(3)
  })

  it('accepts a password whose accents are encoded differently', async () => {
    const body = { email: 'accent@b.co', password: 'caf\u00E9 caf\u00E9' }
    await accounts.call('POST', '/api/register', { body })
    const answer = await login({ ...body, password: 'cafe\u0301 cafe\u0301' })
    expect(answer.status).toBe(200)
  })

  it('rejects a password that only starts correctly', async () => {
    const full = 'a'.repeat(72)
    await accounts.call('POST', '/api/register', { body: { email: 'cut@b.co', password: full } })
    expect((await login({ email: 'cut@b.co', password: `${full}b` })).status).toBe(401)
    expect((await login({ email: 'cut@b.co', password: full })).status).toBe(200)
  })
})

describe('lockout', () => {
  it('starts after five failures of one account, over all addresses, even for the owner', async () => {
    await accounts.signUp('locked@b.co')
    for (let i = 0; i < 5; i++)
      expect((await login({ email: 'locked@b.co', password: 'wrong guess' })).status).toBe(401)
    const answer = await login({ email: 'LOCKED@b.co', password })
    expect(answer.status).toBe(429)
    const seconds = Number(answer.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(900)
  })

  it('counts accounts that do not exist', async () => {
    for (let i = 0; i < 5; i++) await login({ email: 'ghost@b.co', password })
    expect((await login({ email: 'ghost@b.co', password })).status).toBe(429)
  })

  it('admits at most five concurrent guesses', async () => {
    const guesses = Array.from({ length: 25 }, () => login({ email: 'burst@b.co', password }))
    const statuses = (await Promise.all(guesses)).map((answer) => answer.status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
  })

  it('admits at most twenty failures of one address, over all accounts', async () => {
    const ip = newAddress()
    const guesses = Array.from({ length: 30 }, (_, i) =>
      login({ email: `spray${i}@b.co`, password }, ip),
    )
    const statuses = (await Promise.all(guesses)).map((answer) => answer.status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(20)
    expect((await login({ email: 'spray99@b.co', password }, ip)).status).toBe(429)
    expect((await login({ email: 'spray99@b.co', password })).status).toBe(401)
  })

  it('does not count attempts at a locked account against an address', async () => {
    const ip = newAddress()
    for (let i = 0; i < 30; i++) await login({ email: 'hammer@b.co', password }, ip)
    await accounts.signUp('neighbour@b.co')
    expect((await login({ email: 'neighbour@b.co', password }, ip)).status).toBe(200)
  })

  it('resets at a successful sign-in, and successes do not count', async () => {
    await accounts.signUp('typo@b.co')
    const ip = newAddress()
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 4; i++) await login({ email: 'typo@b.co', password: 'tpyo tpyo' })
      expect((await login({ email: 'typo@b.co', password })).status).toBe(200)
    }
    for (let i = 0; i < 30; i++)
      expect((await login({ email: 'typo@b.co', password }, ip)).status).toBe(200)
  })

  it('ends 15 minutes after the failures', async () => {
    await accounts.signUp('patient@b.co')
    for (let i = 0; i < 5; i++) await login({ email: 'patient@b.co', password: 'wrong guess' })
    expect((await login({ email: 'patient@b.co', password })).status).toBe(429)
    const key = { pk: `lockout#account#${await sha256Hex('patient@b.co')}`, sk: 'lockout' }
    const row = await accounts.table.get(key)
    const times = (row?.times as number[] | undefined)?.map((time) => time - 900_001)
    await accounts.table.update(key, { set: { times } })
    expect((await login({ email: 'patient@b.co', password })).status).toBe(200)
  })

  describe('of a browser that has signed in before', () => {
    const cookiesOf = (answer: Response) =>
      answer.headers
        .getSetCookie()
        .filter((cookie) => cookie.startsWith('service-browser='))
        .map((cookie) => cookie.split(';', 1)[0] ?? '')
        .join('; ')
    const from = (cookie: string, email: string, given = password) =>
      accounts.call('POST', '/api/auth/login', {
        body: { email, password: given },
        ip: newAddress(),
        headers: { cookie },
      })
    const known = async (email: string) => {
      const { session } = await accounts.signUp(email)
      return { session, cookie: cookiesOf(await login({ email, password })) }
    }
    const lock = async (email: string) => {
      for (let i = 0; i < 5; i++) await login({ email, password: 'wrong guess' })
      expect((await login({ email, password })).status).toBe(429)
    }

    it('is set by sign-in: HttpOnly, SameSite=Lax, for a year, and is not a session', async () => {
      await accounts.signUp('remembered@b.co')
      const answer = await login({ email: 'remembered@b.co', password })
      const set = answer.headers.getSetCookie().find((one) => one.startsWith('service-browser='))
      expect(set).toMatch(/; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/)
      const cookie = cookiesOf(answer)
      const whose = await accounts.call('GET', '/api/auth/session', { headers: { cookie } })
      expect(await whose.json()).toEqual({ user: null })
      const again = await from(cookie, 'remembered@b.co')
      expect(cookiesOf(again)).toBe(cookie)
    })

    it('is not locked out by strangers, at sign-in and at a password confirmation', async () => {
      const { cookie, session } = await known('kept-out@b.co')
      await lock('kept-out@b.co')
      const change = (cookies: string) =>
        accounts.call('POST', '/api/settings/password', {
          body: { currentPassword: password, newPassword: 'another horse' },
          headers: { cookie: `service-session=${session}${cookies}` },
          ip: newAddress(),
        })
      expect((await change('')).status).toBe(429)
      const changed = await change(`; ${cookie}`)
      expect(changed.status).toBe(200)
      expect((await from(cookie, 'kept-out@b.co', 'another horse')).status).toBe(429)
      expect((await from(cookiesOf(changed), 'kept-out@b.co', 'another horse')).status).toBe(200)
    })

    it('is locked out after its own five failures, and locks out no other browser', async () => {
      const { cookie } = await known('stolen@b.co')
      for (let i = 0; i < 5; i++)
        expect((await from(cookie, 'stolen@b.co', 'wrong guess')).status).toBe(401)
      expect((await from(cookie, 'stolen@b.co')).status).toBe(429)
      expect((await login({ email: 'stolen@b.co', password })).status).toBe(200)
    })

    it('is locked out after fifteen failures of all known browsers of an account', async () => {
      const email = 'collected@b.co'
      await accounts.signUp(email)
      const cookies: string[] = []
      for (let i = 0; i < 5; i++) cookies.push(cookiesOf(await login({ email, password })))
      expect(new Set(cookies).size).toBe(5)
      const answers: number[] = []
      for (const cookie of cookies)
        for (let i = 0; i < 4; i++) answers.push((await from(cookie, email, 'wrong guess')).status)
      expect(answers.filter((status) => status === 401)).toHaveLength(15)
      expect(answers.slice(15)).toEqual(Array.from({ length: 5 }, () => 429))
      expect((await login({ email, password })).status).toBe(200)
    })

    it.each(['victim@b.co', 'nobody-at-all@b.co'])(
      'is known only to its own account: at %s it counts as unknown',
      async (email) => {
        const { cookie } = await known(`neighbour-of-${email}`)
        if (email === 'victim@b.co') await accounts.signUp(email)
        const forged = `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`
        const tries = [cookie, forged, cookie, forged, cookie]
        for (const each of tries) expect((await from(each, email, 'wrong guess')).status).toBe(401)
        for (const each of [cookie, forged, '']) expect((await from(each, email)).status).toBe(429)
      },
    )

    it('is forgotten at a reset of the password, which registers its own browser', async () => {
      const { cookie } = await known('forgetful@b.co')
      await accounts.call('POST', '/api/auth/forgot-password', {
        body: { email: 'forgetful@b.co' },
      })
      await accounts.sendResets()
      const token = linkIn(await accounts.mailTo('forgetful@b.co', /new password/)).searchParams
      const reset = await accounts.call('POST', '/api/auth/reset-password', {
        body: { token: token.get('token'), password: 'another horse' },
      })
      expect(reset.status).toBe(200)
      await lock('forgetful@b.co')
      expect((await from(cookie, 'forgetful@b.co', 'another horse')).status).toBe(429)
      expect((await from(cookiesOf(reset), 'forgetful@b.co', 'another horse')).status).toBe(200)
    })
  })

  it('is disabled in load tests', async () => {
    const open = await startAccounts({ lockouts: false })
    for (let i = 0; i < 25; i++)
      expect(
        (await open.call('POST', '/api/auth/login', { body: { email: 'x@b.co', password } }))
          .status,
      ).toBe(401)
    await open.close()
  })
})

it('hashes at cost 12 unless configured otherwise', async () => {
  const hash = await bcryptPasswords().hash(password)
  expect(hash).toMatch(/^\$2b\$12\$/)
  expect(await compare(password, hash)).toBe(true)
})

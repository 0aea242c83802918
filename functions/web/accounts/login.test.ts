import { compare } from 'bcryptjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bcryptPasswords, type Passwords } from '../../../shared/accounts/password.ts'
import { sha256Hex } from '../../../shared/platform/crypto.ts'
import { type Accounts, password, startAccounts } from '../../../tests/support/accounts.ts'

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
/** Each test comes from an address of its own, so that none locks another out. */
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
  ])('refuses %s with 400', async (_, body, message) => {
    const answer = await login(body)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: expect.stringMatching(message) })
  })

  it('answers an unknown account as a wrong password, at the price of one hash each', async () => {
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

  it('takes a password whose accents were typed another way', async () => {
    const body = { email: 'accent@b.co', password: 'caf\u00E9 caf\u00E9' }
    await accounts.call('POST', '/api/register', { body })
    const answer = await login({ ...body, password: 'cafe\u0301 cafe\u0301' })
    expect(answer.status).toBe(200)
  })

  it('does not take a password that only begins right', async () => {
    const full = 'a'.repeat(72)
    await accounts.call('POST', '/api/register', { body: { email: 'cut@b.co', password: full } })
    expect((await login({ email: 'cut@b.co', password: `${full}b` })).status).toBe(401)
    expect((await login({ email: 'cut@b.co', password: full })).status).toBe(200)
  })
})

describe('lockout', () => {
  it('comes after five failures of one account, from wherever they come, for the owner too', async () => {
    await accounts.signUp('locked@b.co')
    for (let i = 0; i < 5; i++)
      expect((await login({ email: 'locked@b.co', password: 'wrong guess' })).status).toBe(401)
    const answer = await login({ email: 'LOCKED@b.co', password })
    expect(answer.status).toBe(429)
    const seconds = Number(answer.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(900)
  })

  it('counts for accounts that do not exist', async () => {
    for (let i = 0; i < 5; i++) await login({ email: 'ghost@b.co', password })
    expect((await login({ email: 'ghost@b.co', password })).status).toBe(429)
  })

  it('lets no more than five guesses through that come at once', async () => {
    const guesses = Array.from({ length: 25 }, () => login({ email: 'burst@b.co', password }))
    const statuses = (await Promise.all(guesses)).map((answer) => answer.status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
  })

  it('lets no more than twenty failures of one address through, over all accounts', async () => {
    const ip = newAddress()
    const guesses = Array.from({ length: 30 }, (_, i) =>
      login({ email: `spray${i}@b.co`, password }, ip),
    )
    const statuses = (await Promise.all(guesses)).map((answer) => answer.status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(20)
    expect((await login({ email: 'spray99@b.co', password }, ip)).status).toBe(429)
    expect((await login({ email: 'spray99@b.co', password })).status).toBe(401)
  })

  it('does not charge an address for tries at an account that is locked already', async () => {
    const ip = newAddress()
    for (let i = 0; i < 30; i++) await login({ email: 'hammer@b.co', password }, ip)
    await accounts.signUp('neighbour@b.co')
    expect((await login({ email: 'neighbour@b.co', password }, ip)).status).toBe(200)
  })

  it('is forgotten at a success, and successes never add up to one', async () => {
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

  it('is off where load is tested', async () => {
    const open = await startAccounts({ lockouts: false })
    for (let i = 0; i < 25; i++)
      expect(
        (await open.call('POST', '/api/auth/login', { body: { email: 'x@b.co', password } }))
          .status,
      ).toBe(401)
    await open.close()
  })
})

it('hashes at cost 12 unless told otherwise', async () => {
  const hash = await bcryptPasswords().hash(password)
  expect(hash).toMatch(/^\$2b\$12\$/)
  expect(await compare(password, hash)).toBe(true)
})

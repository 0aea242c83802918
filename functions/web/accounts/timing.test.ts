import { afterAll, beforeAll, expect, it } from 'vitest'
import { bcryptPasswords } from '#shared/accounts/users/password.ts'
import { type Accounts, password, startAccounts } from '#tests/support/accounts/accounts.ts'
import { mannWhitneyZ, timePairs } from '#tests/support/clock/statistics.ts'
import { recording } from '#tests/support/platform/recorded-table.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'

const pairs = 100
const accountsEach = 25
const seed = 20_250_811
/** Two samples of the same distribution exceed this once in 10,000 runs. */
const limit = 3.9

let database: TestTable
let calls: string[]
let accounts: Accounts
/** A naive sign-in, for comparison: without an account it computes no hash. */
let hasty: Accounts

/** No account gets five attempts, so that none is locked out. */
let test = 0
const known = (round: number) => `known-${test}-${round % accountsEach}@b.co`
const unknown = (round: number) => `other-${test}-${round % accountsEach}@b.co`

beforeAll(async () => {
  database = await startTestTable()
  const recorded = recording(database.table)
  ;({ calls } = recorded)
  // A cheap hash hides little of the other work.
  accounts = await startAccounts({ table: recorded.table, passwords: bcryptPasswords(4) })
  const passwords = bcryptPasswords(8)
  const matches = async (given: string, stored: string | undefined) =>
    stored !== undefined && passwords.matches(given, stored)
  hasty = await startAccounts({ table: database.table, passwords: { ...passwords, matches } })
})
afterAll(async () => {
  await accounts.close()
  await hasty.close()
  await database.close()
})

async function register(on: Accounts): Promise<void> {
  test++
  for (let i = 0; i < accountsEach; i++)
    await on.call('POST', '/api/register', { body: { email: known(i), password } })
}

type Ask = (on: Accounts, email: string) => Promise<unknown>

let hosts = 0

/** Each attempt comes from its own network, so that none is locked out. */
const signIn: Ask = async (on, email) => {
  const body = { email, password: 'not the password' }
  const ip = `2001:db8:${(++hosts).toString(16)}::1`
  const answer = await on.call('POST', '/api/auth/login', { body, ip })
  expect([answer.status, await answer.json()]).toEqual([
    401,
    { error: 'Invalid email or password' },
  ])
}

const forget: Ask = async (on, email) => {
  const answer = await on.call('POST', '/api/auth/forgot-password', { body: { email } })
  expect([answer.status, await answer.json()]).toEqual([200, { message: expect.any(String) }])
}

/** Returns the distance between the response times for known and unknown accounts. */
async function distance(ask: Ask, on: Accounts): Promise<number> {
  await register(on)
  const [times, others] = await timePairs(
    pairs,
    seed,
    (round) => ask(on, known(round)),
    (round) => ask(on, unknown(round)),
  )
  return Math.abs(mannWhitneyZ(times, others))
}

const cases: [string, Ask][] = [
  ['a sign-in', signIn],
  ['a forgotten password', forget],
]

it.each(cases)(
  '%s takes as long for an unknown account as for a known one',
  async (_, ask) => {
    expect(await distance(ask, accounts)).toBeLessThan(limit)
  },
  120_000,
)

it.each(cases)('%s makes the same table requests with and without an account', async (_, ask) => {
  await register(accounts)
  const asked = async (email: string) => {
    calls.length = 0
    await ask(accounts, email)
    return [...calls]
  }
  expect(await asked(unknown(0))).toEqual(await asked(known(0)))
})

it('the comparison detects a sign-in that stores a hash', async () => {
  expect(await distance(signIn, hasty)).toBeGreaterThan(limit)
}, 120_000)

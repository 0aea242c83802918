import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { userRows } from '#shared/accounts/users/rows.ts'
import { userMailer } from '#shared/accounts/users/user-mailer.ts'
import { sealer } from '#shared/platform/seal.ts'
import { type Accounts, password, startAccounts } from '#tests/support/accounts/accounts.ts'
import { startMessageQueue } from '#tests/support/platform/message-queue.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'

let dir: string
let db: TestTable
let queue: Awaited<ReturnType<typeof startMessageQueue>>
let accounts: Accounts

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'askers-'))
  ;[db, queue] = await Promise.all([startTestTable(), startMessageQueue('mails', dir)])
  const { table } = db
  const seals = sealer('a key of 32 bytes, for the tests')
  accounts = await startAccounts({
    table,
    mailerFor: (askers) => userMailer({ table, queues: queue.queues, sealer: seals, askers }),
  })
})
beforeEach(() => at('2099-05-03T10:00:00Z'))
afterAll(async () => {
  vi.useRealTimers()
  await Promise.all([accounts.close(), db.close(), queue.close()])
  await rm(dir, { recursive: true })
})

// In the future, because the database deletes rows whose time to live is over.
const at = (time: string) => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(time) })

let strangers = 0
const stranger = () => `stranger${strangers++}@b.co`

/** Registers that many strangers. @returns the mails that were sent */
async function register(times: number, ip: (n: number) => string): Promise<number> {
  for (let n = 0; n < times; n++) {
    const body = { email: stranger(), password }
    const { status } = await accounts.call('POST', '/api/register', { body, ip: ip(n) })
    expect(status).toBe(200)
  }
  return (await queue.take()).length
}

it.each<[string, (n: number) => string, (n: number) => string]>([
  ['a /24', (n) => `203.0.113.${n}`, () => '203.0.112.1'],
  ['a /48', (n) => `2001:db8:1:${n}::1`, () => '2001:db8:2::1'],
])('%s has 20 mails an hour and 50 a day to unverified mailboxes', async (_, inside, outside) => {
  expect(await register(22, inside)).toBe(20)
  expect(await register(1, outside)).toBe(1)
  at('2099-05-03T11:00:00Z')
  expect(await register(22, inside)).toBe(20)
  at('2099-05-03T12:00:00Z')
  expect(await register(12, inside)).toBe(10)
  at('2099-05-04T00:00:00Z')
  expect(await register(1, inside)).toBe(1)
})

it('clients on the platform’s own machine share no limit', async () => {
  expect(await register(22, () => '127.0.0.1')).toBe(22)
  expect(await register(1, () => '::1')).toBe(1)
})

it('a user is counted in every network, apart from the limits of mailboxes', async () => {
  const { id: userId, session } = await accounts.signUp('asker@b.co')
  await db.table.update(userRows.key({ userId }), { set: { emailVerified: true } })
  await queue.take()
  const askFor = (email: string, network: number) =>
    accounts.call('POST', '/api/settings', {
      session,
      body: { email, currentPassword: password },
      ip: `198.18.${network}.1`,
    })
  const toStrangers: number[] = []
  for (const hour of [10, 11, 12, 13, 14, 15]) {
    at(`2099-05-03T${hour}:30:00Z`)
    for (let n = 0; n < 10; n++) expect((await askFor(stranger(), n)).status).toBe(200)
    // The others inform the user's own, verified mailbox.
    toStrangers.push((await queue.take()).length - 10)
  }
  expect(toStrangers).toEqual([10, 10, 10, 10, 10, 0])
  const victim = stranger()
  at('2099-05-03T16:30:00Z')
  for (let n = 0; n < 8; n++)
    expect((await askFor(victim.replace('@', `+a${n}@`), n)).status).toBe(200)
  expect(await queue.take()).toHaveLength(8)
  let mails = 0
  for (let n = 0; n < 7; n++) {
    const body = { email: victim.replace('@', `+b${n}@`), password }
    await accounts.call('POST', '/api/register', { body, ip: `192.0.2.${n}` })
    mails += (await queue.take()).length
  }
  expect(mails).toBe(5)
})

it('reset requests count against the limit of their network, though the mail is sent later', async () => {
  const inside = '100.64.9.1'
  const emails = Array.from({ length: 22 }, stranger)
  for (const [n, email] of emails.entries())
    await accounts.call('POST', '/api/register', { body: { email, password }, ip: `100.65.${n}.1` })
  await queue.take()
  for (const email of emails)
    await accounts.call('POST', '/api/auth/forgot-password', { body: { email }, ip: inside })
  await accounts.sendResets()
  expect(await queue.take()).toHaveLength(20)
})

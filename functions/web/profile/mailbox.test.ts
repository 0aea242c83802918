import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { userRows } from '#shared/accounts/users/rows.ts'
import { sendReset } from '#shared/accounts/users/send-reset.ts'
import { userMailer } from '#shared/accounts/users/user-mailer.ts'
import { findUserByEmail } from '#shared/accounts/users/user.ts'
import { sealer } from '#shared/platform/seal.ts'
import { type Accounts, password, startAccounts } from '#tests/support/accounts/accounts.ts'
import { startMessageQueue } from '#tests/support/platform/message-queue.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'

let dir: string
let db: TestTable
let queue: Awaited<ReturnType<typeof startMessageQueue>>
let accounts: Accounts
let mailer: ReturnType<typeof userMailer>

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mailbox-'))
  ;[db, queue] = await Promise.all([startTestTable(), startMessageQueue('mails', dir)])
  const { table } = db
  mailer = userMailer({
    table,
    queues: queue.queues,
    sealer: sealer('a key of 32 bytes, for the tests'),
  })
  accounts = await startAccounts({ table, mailer })
})
afterAll(async () => {
  vi.useRealTimers()
  await Promise.all([accounts.close(), db.close(), queue.close()])
  await rm(dir, { recursive: true })
})

it('a Gmail mailbox is the same with dots, and under its other domain', async () => {
  const emails = ['ab.cd@gmail.com', 'a.b.cd@gmail.com', 'abc.d+1@gmail.com', 'a.b.c.d@gmail.com']
  emails.push('abcd@googlemail.com', 'a.bcd@googlemail.com', 'ab.c.d@gmail.com')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2099-05-03T10:00:00Z') })
  for (const email of emails)
    await accounts.call('POST', '/api/register', { body: { email, password }, ip: '192.0.2.250' })
  expect(await queue.take()).toHaveLength(5)
})

it('an unverified mailbox gets five mails an hour and ten a day, over all senders', async () => {
  const at = (time: string) => vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(time) })
  let requestCount = 0
  const mailsOf = async (times: number) => {
    for (let i = 0; i < times; i++) {
      const body = { email: `Victim+${++requestCount}@b.co`, password }
      const { status } = await accounts.call('POST', '/api/register', {
        body,
        ip: `192.0.2.${requestCount}`,
      })
      expect(status).toBe(200)
    }
    return (await queue.take()).length
  }
  at('2099-05-04T10:00:00Z')
  expect(await mailsOf(8)).toBe(5)
  at('2099-05-04T11:00:00Z')
  expect(await mailsOf(8)).toBe(5)
  at('2099-05-04T12:00:00Z')
  expect(await mailsOf(2)).toBe(0)

  // Actions of others do not lock out the owner after verification.
  await accounts.signUp('victim@b.co')
  expect(await queue.take()).toHaveLength(0)
  const { id: userId } = (await findUserByEmail(db.table, 'victim@b.co'))!
  await db.table.update(userRows.key({ userId }), { set: { emailVerified: true } })
  const ctx = { table: db.table, mailer, webUrl: 'http://localhost:3000', again: false }
  await sendReset(ctx, { email: 'victim@b.co' })
  expect(await queue.take()).toHaveLength(1)

  at('2099-05-05T00:00:00Z')
  expect(await mailsOf(1)).toBe(1)
})

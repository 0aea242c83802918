import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { spendAlertRows, userRows } from '#shared/accounts/users/rows.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Mail } from '#shared/platform/mail/port.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { recordCompletion } from '#tests/support/ai/recorded-completions.ts'
import { webhookEndpoints } from '#tests/support/tools/webhook-endpoints.ts'
import { quotaKey } from '../usage/quota/row.ts'
import { tickSpendAlerts } from './tick.ts'

let accounts: Accounts
let ada: { id: string; session: string }
let mails: Mail[]
let users = 0

const november = Date.parse('2026-11-30T23:59:00.000Z')
const december = Date.parse('2026-12-01T00:01:00.000Z')

beforeAll(async () => {
  accounts = await startAccounts()
})
afterAll(() => accounts.close())
beforeEach(async () => {
  mails = []
  ada = await accounts.signUp(`alerted${users++}@b.co`)
})

const settings = (body: unknown, { session } = ada) =>
  accounts.call('PATCH', '/api/settings', { session, body })

const use = (month: string, used: { tokens?: number; microUsd?: number }) =>
  accounts.table.update(quotaKey(ada.id, month), {
    set: { used: used.tokens ?? 0, usedMicroUsd: used.microUsd ?? 0 },
  })

const context = () => ({
  table: accounts.table,
  log: createLog({ function: 'test' }),
  adminEmails: [],
  planCaps: {},
  webUrl: 'http://localhost:3000',
  mailer: { send: async (mail: Mail) => void mails.push(mail) },
})

/** Returns the mails to this test's user, without repeated mails. */
const sent = () => {
  const own = mails.filter(({ once }) => once?.includes(ada.id))
  return [...new Map(own.map((mail) => [mail.once, mail])).values()].map(({ subject }) => subject)
}

describe('PATCH /api/settings {spendAlerts}', () => {
  it('is part of the profile: sorted, each once, and empty for []', async () => {
    const answer = await settings({ spendAlerts: [100, 50, 50] })
    expect(await answer.json()).toMatchObject({ spendAlerts: [50, 100] })
    expect(await (await settings({ name: 'Ada' })).json()).toMatchObject({
      spendAlerts: [50, 100],
    })
    expect(await (await settings({ spendAlerts: [] })).json()).toMatchObject({ spendAlerts: [] })
  })

  it.each([[0], [101], [1.5], ['50'], [1, 2, 3, 4, 5, 6]])(
    'returns 400 for %j',
    async (...given) => {
      expect((await settings({ spendAlerts: given })).status).toBe(400)
      const profile = await accounts.call('GET', '/api/settings', { session: ada.session })
      expect(await profile.json()).not.toHaveProperty('spendAlerts')
    },
  )

  it('requires a sign-in', async () => {
    expect((await settings({ spendAlerts: [50] }, { id: '', session: 'no.one' })).status).toBe(401)
  })
})

describe('a user', () => {
  it('is notified of each part of the cap once a month, under concurrent ticks', async () => {
    const hooks = webhookEndpoints(accounts.table)
    const endpoint = await hooks.create(ada.session, 'https://example.com/', ['spend.threshold'])
    await settings({ spendCapUsd: 10, spendAlerts: [50, 80, 100] })
    await use('2026-11', { microUsd: 4_999_999 })
    await tickSpendAlerts(context(), november)
    expect(sent()).toEqual([])
    await use('2026-11', { microUsd: 8_000_000 })
    await Promise.all([1, 2, 3, 4].map(() => tickSpendAlerts(context(), november)))
    await tickSpendAlerts(context(), november)
    const two = ['50 % of your spend cap is used', '80 % of your spend cap is used']
    expect(sent()).toEqual(two)
    expect(await hooks.deliveries(ada.session, endpoint.id)).toHaveLength(2)
    await tickSpendAlerts(context(), december)
    expect(sent()).toEqual(two)
    await use('2026-12', { microUsd: 5_000_000 })
    await tickSpendAlerts(context(), december)
    await tickSpendAlerts(context(), december)
    expect(await hooks.deliveries(ada.session, endpoint.id)).toHaveLength(3)
    expect(sent()).toHaveLength(3)
  })

  it('is notified of the plan’s quota', async () => {
    await accounts.table.update(userRows.key({ userId: ada.id }), { set: { plan: 'solo' } })
    await settings({ spendAlerts: [80] })
    await use('2026-11', { tokens: 1_000_000_000 })
    await tickSpendAlerts(context(), november)
    expect(sent()).toEqual(['80 % of your quota is used'])
  })

  it('is notified even if the process is killed before the mail, in the next month too', async () => {
    await settings({ spendCapUsd: 10, spendAlerts: [50] })
    await use('2026-11', { microUsd: 6_000_000 })
    const mailer = { send: () => Promise.reject(new Error('killed')) }
    await tickSpendAlerts({ ...context(), mailer }, november)
    expect(sent()).toEqual([])
    await tickSpendAlerts(context(), december)
    expect(sent()).toEqual(['50 % of your spend cap is used'])
    mails = []
    await tickSpendAlerts(context(), december)
    expect(sent()).toEqual([])
  })

  it('a user without alerts is not notified', async () => {
    await settings({ spendCapUsd: 10, spendAlerts: [50] })
    await settings({ spendAlerts: [] })
    await use('2026-11', { microUsd: 6_000_000 })
    await tickSpendAlerts(context(), november)
    expect(sent()).toEqual([])
  })

  it('is notified of each part of the daily cap once a day, besides the month’s', async () => {
    const hooks = webhookEndpoints(accounts.table)
    const endpoint = await hooks.create(ada.session, 'https://example.com/', ['spend.threshold'])
    await settings({ spendCapUsd: 100, spendCapUsdPerDay: 2, spendAlerts: [50, 100] })
    const spend = (costUsd: number, at: number) =>
      recordCompletion(accounts.table, { userId: ada.id, costUsd }, at)
    const morning = Date.parse('2026-11-29T08:00:00.000Z')
    await spend(0.9, morning)
    await tickSpendAlerts(context(), morning)
    expect(sent()).toEqual([])
    await spend(0.1, morning)
    await Promise.all([1, 2, 3].map(() => tickSpendAlerts(context(), morning)))
    expect(sent()).toEqual(['50 % of your daily spend cap is used'])
    const [mail] = mails
    expect(mail?.text).toContain('On 2026-11-29 you have used 1.00 of 2.00 USD')
    expect(mail?.text).toContain('until the next day in UTC')
    await use('2026-11', { microUsd: 50_000_000 })
    await tickSpendAlerts(context(), morning)
    expect(sent()).toEqual([
      '50 % of your daily spend cap is used',
      '50 % of your spend cap is used',
    ])
    await spend(2.5, november)
    await tickSpendAlerts(context(), november)
    await tickSpendAlerts(context(), november)
    const of = (percent: number) => `${percent} % of your daily spend cap is used`
    expect(sent().slice(2)).toEqual([of(50), of(100)])
    const deliveries = await hooks.deliveries(ada.session, endpoint.id)
    expect(deliveries).toHaveLength(4)
    const row = await accounts.table.get(spendAlertRows.key({ userId: ada.id }))
    expect(row?.told).toEqual([
      '2026-11#spend.threshold#50',
      '2026-11#2026-11-30#spend.threshold#50',
      '2026-11#2026-11-30#spend.threshold#100',
    ])
  })
})

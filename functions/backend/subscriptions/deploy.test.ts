import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#shared/http/app.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { lostQueues } from '#tests/support/platform/context.ts'
import { routes } from '../subscriptions.ts'

let accounts: Accounts
let userId: string

beforeAll(async () => {
  accounts = await startAccounts()
  userId = (await accounts.signUp('ada@b.co')).id
})
afterAll(() => accounts.close())

async function deploy(body: unknown, authorization = 'Bearer internal-key') {
  const app = createApp({
    surface: 'backend',
    name: 'backend-subscriptions',
    routes,
    services: { table: accounts.table, queues: lostQueues },
    settings: { INTERNAL_API_KEY: 'internal-key' },
  })
  const answer = await app.request('/api/subscriptions/deploy', {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return [answer.status, await answer.json()]
}

const stored = async () => accounts.table.get({ pk: `user#${userId}`, sk: 'profile' })

describe('POST /api/subscriptions/deploy', () => {
  it('gives a user a plan, by id or email, by plan or tier', async () => {
    const input = { subscriptionId: 'sub_1', customerId: 'cus_1' }
    expect(await deploy({ userId, plan: 'label', ...input })).toEqual([
      200,
      {
        success: true,
        userId,
        plan: 'label',
        subscriptionId: 'sub_1',
        status: 'active',
        resources: { memory: 2, cpu: 0.5 },
      },
    ])
    const byEmail = { email: ' ADA@b.co', tier: 'enterprise', subscriptionId: 'sub_2' }
    expect(await deploy({ ...byEmail, status: 'trialing' })).toEqual([
      200,
      {
        success: true,
        userId,
        plan: 'network',
        subscriptionId: 'sub_2',
        status: 'trialing',
        resources: { memory: 16, cpu: 4 },
      },
    ])
    expect(await stored()).toMatchObject({
      plan: 'network',
      // A later order without a customer keeps the stored one.
      subscription: { id: 'sub_2', status: 'trialing', customerId: 'cus_1' },
    })
  })

  it('changes nothing when it is repeated', async () => {
    const body = { userId, plan: 'solo', subscriptionId: 'sub_3' }
    const first = await deploy(body)
    const before = await stored()
    expect(await deploy(body)).toEqual(first)
    expect(await stored()).toEqual(before)
  })

  it('is visible in the user’s next request', async () => {
    const { id, session } = await accounts.signUp('eve@b.co')
    await deploy({ userId: id, plan: 'collective', subscriptionId: 'sub_4' })
    const answer = await accounts.call('GET', '/api/settings', { session })
    expect(await answer.json()).toMatchObject({ plan: 'collective' })
  })

  it.each([
    ['no user', { plan: 'solo', subscriptionId: 's' }, /userId or email/],
    ['no plan', { userId: 'usr_1', subscriptionId: 's' }, /plan or tier/],
    ['an unknown plan', { userId: 'usr_1', plan: 'gold', subscriptionId: 's' }, /plan/],
    ['the plan free', { userId: 'usr_1', plan: 'free', subscriptionId: 's' }, /plan/],
    ['an unknown tier', { userId: 'usr_1', tier: 'gold', subscriptionId: 's' }, /tier/],
    ['an inherited name', { userId: 'usr_1', tier: 'constructor', subscriptionId: 's' }, /tier/],
    ['no subscription', { userId: 'usr_1', plan: 'solo' }, /subscriptionId required/],
    [
      'an unknown status',
      { userId: 'usr_1', plan: 'solo', subscriptionId: 's', status: 'x' },
      /status/,
    ],
    ['another key’s separator', { userId: 'usr_1#x', plan: 'solo', subscriptionId: 's' }, /userId/],
    ['the platform itself', { userId: '@platform', plan: 'solo', subscriptionId: 's' }, /userId/],
  ])('rejects %s', async (_, body, message) => {
    expect(await deploy(body)).toEqual([400, { error: expect.stringMatching(message) }])
  })

  it.each([{ userId: 'usr_unknown' }, { email: 'unknown@b.co' }, { userId: '__proto__' }])(
    'returns 404 for %j, and creates no row',
    async (user) => {
      const answer = await deploy({ ...user, plan: 'solo', subscriptionId: 's' })
      expect(answer).toEqual([404, { error: 'User not found' }])
      const row = await accounts.table.get({ pk: `user#${user.userId}`, sk: 'profile' })
      expect(row).toBeUndefined()
    },
  )

  it.each([
    ['', 401],
    ['Basic internal-key', 401],
    ['Bearer another-key', 403],
  ])(
    'POST /api/subscriptions/deploy with Authorization %j returns %i',
    async (authorization, status) => {
      const body = { userId, plan: 'network', subscriptionId: 'stolen' }
      expect((await deploy(body, authorization))[0]).toBe(status)
      expect(await stored()).not.toMatchObject({ subscription: { id: 'stolen' } })
    },
  )
})

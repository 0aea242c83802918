import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { routes as subscriptions } from '#functions/backend/subscriptions.ts'
import { findUserByEmail } from '#shared/accounts/users/user.ts'
import { createApp } from '#shared/http/app.ts'
import { linkIn, password } from '../support/accounts/accounts.ts'
import { actionsOf, addedBy, auditOf } from '../support/accounts/audit.ts'
import { type Keys, startKeys } from '../support/accounts/keys.ts'
import { internalKey, startUsage, type Usage } from '../support/ai/usage.ts'
import { lostQueues } from '../support/platform/context.ts'

let keys: Keys
let usage: Usage
let ada: { id: string; session: string }
let email: string
let users = 0

beforeAll(async () => {
  ;[keys, usage] = await Promise.all([startKeys(), startUsage()])
})
afterAll(() => Promise.all([keys.close(), usage.close()]))
beforeEach(async () => {
  email = `ada-${++users}@b.co`
  ada = await keys.signUp(email)
})

/**
 * Calls a route of the accounts group.
 * @returns the audit entries that it adds for Ada, and its status
 */
async function calling(method: string, path: string, body: unknown, session?: string) {
  let status = 0
  const actions = await actionsOf(keys.table, ada.id, async () => {
    const input = { body, ...(session !== undefined && { session }) }
    ;({ status } = await keys.accounts(method, path, input))
  })
  return [status, actions]
}

const newPassword = 'battery staple'

describe('an account', () => {
  it('is created with its first entry, by its own user', async () => {
    expect(await auditOf(keys.table, ada.id)).toMatchObject([
      {
        action: 'account.created',
        actor: `user:${ada.id}`,
        target: ada.id,
        before: null,
        after: expect.stringMatching(/^[0-9a-f]{64}$/),
        requestId: expect.stringMatching(/^req_/),
      },
    ])
  })

  it('an account that exists is not created again', async () => {
    expect(await calling('POST', '/api/register', { email, password })).toEqual([409, []])
  })

  it('grants no credits for a referral when it is created', async () => {
    const user = await findUserByEmail(keys.table, email)
    const body = { email: `friend-${email}`, password, referralCode: user?.referralCode }
    let id = ''
    const added = await addedBy(keys.table, ada.id, async () => {
      const answer = await keys.accounts('POST', '/api/register', { body })
      ;({ id } = (await answer.json()) as { id: string })
    })
    expect(added).toEqual([])
    expect(await auditOf(keys.table, id)).toMatchObject([{ action: 'account.created' }])
    const unknown = { ...body, email: `other-${email}`, referralCode: 'UNKNOWN2' }
    expect(await calling('POST', '/api/register', unknown)).toEqual([400, []])
  })

  it('is created even if its name contains half of a surrogate pair', async () => {
    const body = { email: `half-${email}`, password, name: 'Ada \ud83d' }
    const answer = await keys.accounts('POST', '/api/register', { body })
    expect([200, 400]).toContain(answer.status)
  })

  it('has another address once its link was opened, and not before', async () => {
    const to = `moved-${email}`
    const request = { email: to, currentPassword: password }
    expect(await calling('POST', '/api/settings', request, ada.session)).toEqual([200, []])
    const token = linkIn(await keys.mailTo(to, /Confirm your new/)).searchParams.get('token')
    const path = '/api/auth/verify-email'
    expect(await calling('POST', path, { token, password: 'wrong' })).toEqual([400, []])
    expect(await calling('POST', path, { token, password })).toEqual([200, ['email.changed']])
    expect(await calling('POST', path, { token, password })).toEqual([400, []])
  })

  it('has another address after a signed-in user opens the link', async () => {
    const to = `moved-${email}`
    const body = { email: to, currentPassword: password }
    await keys.accounts('POST', '/api/settings', { body, session: ada.session })
    const { pathname, search } = linkIn(await keys.mailTo(to, /Confirm your new/))
    expect(await calling('GET', pathname + search, undefined, ada.session)).toEqual([
      302,
      ['email.changed'],
    ])
  })

  it('has another password, which ends its sessions', async () => {
    const path = '/api/settings/password'
    const wrong = { currentPassword: 'wrong', newPassword }
    expect(await calling('POST', path, wrong, ada.session)).toEqual([401, []])
    const right = { currentPassword: password, newPassword }
    expect(await calling('POST', path, right, ada.session)).toEqual([
      200,
      ['password.changed', 'sessions.ended'],
    ])
  })

  it('has another password by a mailed link', async () => {
    await calling('POST', '/api/auth/forgot-password', { email })
    await keys.sendResets()
    const token = linkIn(await keys.mailTo(email, /new password/)).searchParams.get('token')
    const path = '/api/auth/reset-password'
    const body = { token, password: newPassword }
    expect(await calling('POST', path, { ...body, token: 'none' })).toEqual([400, []])
    expect(await calling('POST', path, body)).toEqual([200, ['password.changed', 'sessions.ended']])
    expect(await calling('POST', path, body)).toEqual([400, []])
  })

  it('has another name, cap or use of credits without an entry, since no money moves', async () => {
    const set = (body: object) => calling('PATCH', '/api/settings', body, ada.session)
    expect(await set({ spendCapUsd: 5, useCredits: false, name: 'Ada' })).toEqual([200, []])
  })
})

describe('an API key', () => {
  it('is created and deleted with an entry each, only if it changes', async () => {
    const { table } = keys
    let id = ''
    const created = await actionsOf(table, ada.id, async () => {
      id = (await keys.newKey(ada.session)).id
    })
    expect(created).toEqual(['key.created'])
    const remove = () => keys.call('DELETE', `/api/keys/${id}`, { session: ada.session })
    expect(await actionsOf(table, ada.id, remove)).toEqual(['key.deleted'])
    expect(await actionsOf(table, ada.id, remove)).toEqual([])
    const refused = () =>
      keys.call('POST', '/api/keys', { session: ada.session, body: { name: 'k', scopes: ['x'] } })
    expect(await actionsOf(table, ada.id, refused)).toEqual([])
  })
})

describe('a plan', () => {
  it('is changed by the trusted caller that the entry names, once', async () => {
    const app = createApp({
      surface: 'backend',
      name: 'backend-subscriptions',
      routes: subscriptions,
      services: { table: keys.table, queues: lostQueues },
      settings: { INTERNAL_API_KEY: internalKey },
    })
    const deploy = (plan: string) => () =>
      app.request('/api/subscriptions/deploy', {
        method: 'POST',
        headers: { authorization: `Bearer ${internalKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ userId: ada.id, plan, subscriptionId: 'sub_1' }),
      }) as Promise<Response>
    const [entry, ...more] = await addedBy(keys.table, ada.id, deploy('label'))
    expect([entry, more]).toMatchObject([
      { action: 'subscription.changed', actor: 'internal:' },
      [],
    ])
    expect(await actionsOf(keys.table, ada.id, deploy('label'))).toEqual([])
    expect(await actionsOf(keys.table, ada.id, deploy('none'))).toEqual([])
  })
})

describe('a user’s own provider key', () => {
  it('is enabled and disabled with an entry each', async () => {
    const { id, session } = await usage.signUp(email)
    const act = (body: object) => () => usage.web('POST', '/api/billing', { session, body })
    const enable = { action: 'enable-byok', provider: 'openai', apiKey: 'the-users-own-key' }
    expect(await actionsOf(usage.table, id, act({ ...enable, provider: 'none' }))).toEqual([])
    expect(await actionsOf(usage.table, id, act(enable))).toEqual(['byok.enabled'])
    const disable = act({ action: 'disable-byok' })
    expect(await actionsOf(usage.table, id, disable)).toEqual(['byok.disabled'])
    expect(await actionsOf(usage.table, id, disable)).toEqual([])
  })
})

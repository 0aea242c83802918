import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey } from '#shared/accounts/keys/create.ts'
import { keyHashes } from '#shared/accounts/keys/hashes.ts'
import { setAccess } from '#shared/accounts/providers/linking/access.ts'
import { keysOf } from '#shared/accounts/users/api-key.ts'
import { sessionIdentity } from '#shared/accounts/users/identity.ts'
import { findReferral, referralPaid } from '#shared/accounts/users/referral-payment.ts'
import { findUserByEmail } from '#shared/accounts/users/user.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { password, sessionOf } from '#tests/support/accounts/accounts.ts'
import { actionsOf, auditOf } from '#tests/support/accounts/audit.ts'
import {
  type IdentityProvider,
  startIdentityProvider,
} from '#tests/support/accounts/identity-provider.ts'
import { type SignIn, startSignIn, webUrl } from '#tests/support/accounts/sign-in.ts'
import { creditsOf } from '#tests/support/billing/credits.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { contextOf, eventContext } from '#tests/support/platform/context.ts'

const start = `${webUrl}/api/auth/idp`

let idp: IdentityProvider
let signIn: SignIn

beforeAll(async () => {
  idp = await startIdentityProvider(`${start}/callback`)
  signIn = await startSignIn({
    IDP_ISSUER: idp.issuer,
    IDP_CLIENT_ID: [idp.clientId],
    IDP_CLIENT_SECRET: idp.clientSecret,
  })
})
afterAll(async () => {
  await signIn.close()
  await idp.close()
})

async function arrive(subject: string, email: string) {
  idp.people.set(subject, { email, email_verified: true })
  const browser = signIn.browser()
  const page = await idp.signIn(browser, start, subject)
  return { browser, page, user: await signIn.whoIs(browser) }
}

const tableOf = () => signIn.accounts.table

/** Opens the link that verifies an account's email address. */
async function proveAddress(email: string, session: string): Promise<void> {
  const mails = await signIn.accounts.mails()
  const text = mails.findLast(({ to }) => to === email)?.text ?? ''
  const token = /token=([\w-]+)/.exec(text)?.[1] ?? ''
  const path = `/api/auth/verify-email?token=${token}`
  const answer = await signIn.accounts.call('GET', path, { session })
  expect(answer.headers.get('location')).toContain('verified=1')
}

const whoHolds = (session: string) => platformOver(signIn.accounts.call, { session }).auth.session()

async function newKey(session: string) {
  const user = await sessionIdentity(tableOf(), [])(session)
  if (user === undefined) throw new Error('the session is none')
  return createKey(
    { ...contextOf(tableOf(), user), hashes: keyHashes({ cost: 4 }) },
    { name: 'a key' },
  )
}

const keyRowsOf = async (userId: string) =>
  [...(await signIn.rowsOf(userId)).keys()].filter((key) => key.startsWith('key#'))

describe('the audit', () => {
  it('records that a person created an account, and no later sign-in', async () => {
    const { user } = await arrive('audited', 'audited@b.co')
    const id = user?.id ?? ''
    const actions = (await auditOf(tableOf(), id)).map(({ action }) => action)
    expect(actions.sort()).toEqual(['account.created', 'provider.linked'])
    expect(await actionsOf(tableOf(), id, () => arrive('audited', 'audited@b.co'))).toEqual([])
  })

  it('records what an account without a verified address lost when it was linked', async () => {
    const { id } = await signIn.accounts.signUp('unproven-audit@b.co')
    const linking = () => arrive('proven-audit', 'unproven-audit@b.co')
    const lost = ['password.changed', 'provider.linked', 'sessions.ended']
    expect(await actionsOf(tableOf(), id, linking)).toEqual(lost)
  })
})

describe('a referred user who has paid', () => {
  it('a referred user who has paid and the owner of the code get credits once a provider verifies the address', async () => {
    const table = tableOf()
    const by = await signIn.accounts.signUp('referrer@b.co')
    const referralCode = (await findUserByEmail(table, 'referrer@b.co'))?.referralCode ?? ''
    const { auth } = platformOver(signIn.accounts.call)
    const { id } = await auth.register({ email: 'referred@b.co', password, referralCode })
    const payment = { userId: id, by: 'ord_1', paidAt: Math.floor(Date.now() / 1000) }
    await commit(table, { paid: referralPaid(await findReferral(table, id), payment) })
    for (let times = 0; times < 2; times++) await arrive('referred', 'referred@b.co')
    for (const user of [id, by.id])
      expect((await creditsOf(table, user)).postings).toMatchObject([
        { reason: 'referral', microUsd: 1_000_000, ref: id },
      ])
  })
})

describe('a user with a verified address', () => {
  it('gets the provider as one more way to sign in, and keeps all others', async () => {
    const local = await signIn.accounts.signUp('proven@b.co')
    await proveAddress('proven@b.co', local.session)
    await newKey(local.session)
    const { page, user } = await arrive('proven', 'Proven@b.co')
    expect(page.url.pathname).toBe('/dashboard')
    expect(user?.id).toBe(local.id)
    expect(await whoHolds(local.session)).toMatchObject({ id: local.id })
    expect(await keysOf({ table: tableOf() }, { owner: local })).toHaveLength(1)
    const credentials = { email: 'proven@b.co', password }
    const login = await signIn.accounts.call('POST', '/api/auth/login', { body: credentials })
    expect(login.status).toBe(200)
  })

  it('is notified by mail, once', async () => {
    const local = await signIn.accounts.signUp('told@b.co')
    await proveAddress('told@b.co', local.session)
    await signIn.mails()
    await arrive('told', 'told@b.co')
    await arrive('told', 'told@b.co')
    expect(await signIn.mails()).toEqual([
      expect.objectContaining({
        to: 'told@b.co',
        subject: 'A new way to sign in was added',
        text: expect.stringContaining(new URL(idp.issuer).host),
      }),
    ])
  })
})

describe('a user without a verified address', () => {
  it('loses every access of the account’s creator', async () => {
    const squatter = await signIn.accounts.signUp('victim@b.co')
    await newKey(squatter.session)
    // With their provider key or collector they would receive the owner's prompts.
    const profile = { pk: `user#${squatter.id}`, sk: 'profile' }
    await tableOf().update(profile, {
      set: {
        byok: { openai: 'sealed' },
        telemetry: { url: 'https://squatter.example', headers: 'sealed', names: [], content: true },
      },
    })
    await signIn.accounts.call('POST', '/api/auth/forgot-password', {
      body: { email: 'victim@b.co' },
    })
    await signIn.accounts.call('POST', '/api/settings', {
      session: squatter.session,
      body: { email: 'squatter@b.co' },
    })
    await signIn.accounts.sendResets()
    const links = (await signIn.accounts.mails()).map(({ text }) => text)

    const { user, browser } = await arrive('victim', 'victim@b.co')
    expect(user).toMatchObject({ id: squatter.id, email: 'victim@b.co' })
    const stored = await signIn.userOf('victim@b.co')
    expect(stored).toMatchObject({ id: squatter.id, emailVerified: true })
    expect(stored).not.toHaveProperty('passwordHash')
    expect(stored).not.toHaveProperty('byok')
    expect(stored).not.toHaveProperty('telemetry')

    expect(await whoHolds(squatter.session)).toBeNull()
    expect(await keyRowsOf(squatter.id)).toEqual([])
    const credentials = { email: 'victim@b.co', password }
    const login = await signIn.accounts.call('POST', '/api/auth/login', { body: credentials })
    expect(login.status).toBe(401)
    const tokens = links.flatMap((text) => /token=([\w-]+)/.exec(text)?.[1] ?? [])
    expect(tokens.length).toBeGreaterThan(2)
    for (const token of tokens) {
      const { session } = squatter
      await signIn.accounts.call('GET', `/api/auth/verify-email?token=${token}`, { session })
      const confirm = { body: { token, password } }
      await signIn.accounts.call('POST', '/api/auth/verify-email', confirm)
      const body = { token, password: 'the squatter again' }
      const reset = await signIn.accounts.call('POST', '/api/auth/reset-password', { body })
      expect(reset.status).toBe(400)
    }
    expect(await signIn.userOf('squatter@b.co')).toBeUndefined()
    expect(await signIn.whoIs(browser)).toMatchObject({ email: 'victim@b.co' })
  })

  it('is not joined by a session or key that the squatter requests concurrently', async () => {
    const email = 'raced@b.co'
    const squatter = await signIn.accounts.signUp(email)
    const attacked = new AbortController()
    const attempts: string[] = []
    const attack = async () => {
      while (!attacked.signal.aborted) {
        const login = await signIn.accounts.call('POST', '/api/auth/login', {
          body: { email, password },
          ip: `203.0.113.${attempts.length % 250}`,
        })
        attempts.push(sessionOf(login))
        await newKey(attempts.at(-1) ?? '').catch(() => undefined)
      }
    }
    const attacking = attack()
    const { user } = await arrive('raced', email)
    attacked.abort()
    await attacking
    expect(user?.id).toBe(squatter.id)
    expect(attempts.length).toBeGreaterThan(0)
    for (const session of attempts) expect(await whoHolds(session)).toBeNull()
    expect(await keyRowsOf(squatter.id)).toEqual([])
  })
})

describe('concurrently', () => {
  it('a registration and sign-ins create one user', async () => {
    for (const round of [1, 2, 3]) {
      const email = `race-${round}@b.co`
      const [registered, ...arrived] = await Promise.all([
        signIn.accounts.call('POST', '/api/register', { body: { email, password } }),
        ...[1, 2, 3].map(() => arrive(`race-${round}`, email)),
      ])
      expect([200, 409]).toContain(registered.status)
      expect(arrived.map(({ page }) => page.url.pathname)).toEqual(arrived.map(() => '/dashboard'))
      expect(new Set(arrived.map(({ user }) => user?.id)).size).toBe(1)
      const user = await signIn.userOf(email)
      expect(user).toMatchObject({ id: arrived[0]?.user?.id, emailVerified: true })
    }
  })

  it('two people of the provider with one address create one user', async () => {
    const arrived = await Promise.all(['a', 'b', 'c'].map((one) => arrive(one, 'shared@b.co')))
    expect(new Set(arrived.map(({ user }) => user?.id)).size).toBe(1)
    const rows = await signIn.rowsOf(arrived[0]?.user?.id ?? '')
    const links = [...rows.keys()].filter((sk) => sk.startsWith('provider#idp#'))
    expect(links).toEqual(['provider#idp#a', 'provider#idp#b', 'provider#idp#c'])
  })
})

describe('a user whose sign-in by the provider is disabled', () => {
  it('is rejected until it is enabled again', async () => {
    const { user } = await arrive('disabled', 'disabled@b.co')
    const set = (disabled: boolean, order: string) =>
      setAccess(eventContext(tableOf()), {
        userId: user?.id ?? '',
        provider: 'idp',
        disabled,
        order,
      })
    await set(true, '1')
    const refused = await arrive('disabled', 'disabled@b.co')
    expect(refused.page.url.href).toBe(`${webUrl}/login?error=IdpDisabled`)
    expect(refused.user).toBeNull()
    await set(false, '2')
    expect((await arrive('disabled', 'disabled@b.co')).page.url.pathname).toBe('/dashboard')
  })

  it('is neither linked nor taken over by a person with the same address', async () => {
    const local = await signIn.accounts.signUp('shut@b.co')
    await setAccess(eventContext(tableOf()), {
      userId: local.id,
      provider: 'idp',
      disabled: true,
      order: '1',
    })
    const { page } = await arrive('shut', 'shut@b.co')
    expect(page.url.href).toBe(`${webUrl}/login?error=IdpDisabled`)
    expect(await whoHolds(local.session)).toMatchObject({ id: local.id })
    expect(await tableOf().get({ pk: 'provider#idp#shut', sk: 'link' })).toBeUndefined()
  })
})

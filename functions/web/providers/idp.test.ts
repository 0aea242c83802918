import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type IdentityProvider,
  startIdentityProvider,
} from '#tests/support/accounts/identity-provider.ts'
import { type SignIn, startSignIn, webUrl } from '#tests/support/accounts/sign-in.ts'

const start = `${webUrl}/api/auth/idp`
const callback = `${webUrl}/api/auth/idp/callback`

let idp: IdentityProvider
let signIn: SignIn

beforeAll(async () => {
  idp = await startIdentityProvider(callback)
  signIn = await startSignIn({
    IDP_ISSUER: idp.issuer,
    IDP_CLIENT_ID: [idp.clientId, 'another-app'],
    IDP_CLIENT_SECRET: idp.clientSecret,
  })
})
afterAll(async () => {
  await signIn.close()
  await idp.close()
})

/** Signs a person in, in their own browser. */
async function arrive(subject: string, person = {}) {
  idp.people.set(subject, { email: `${subject}@b.co`, email_verified: true, ...person })
  const browser = signIn.browser()
  const page = await idp.signIn(browser, start, subject)
  return { browser, page }
}

describe('the redirect to the identity provider', () => {
  it('requests the scopes by code, with PKCE, state and nonce, which the page cannot read', async () => {
    const answer = await signIn.request('/api/auth/idp')
    expect(answer.status).toBe(302)
    const location = new URL(answer.headers.get('location') ?? '')
    expect(location.origin).toBe(idp.issuer)
    expect(Object.fromEntries(location.searchParams)).toEqual({
      client_id: idp.clientId,
      redirect_uri: callback,
      response_type: 'code',
      scope: 'openid email profile offline_access',
      prompt: 'consent',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    const [cookie = ''] = answer.headers.getSetCookie()
    expect(cookie).toMatch(/; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(cookie).not.toContain(location.searchParams.get('state'))
  })

  it('binds its cookie to one host if TLS is used', async () => {
    const secure = await startSignIn({
      WEB_URL: 'https://platform.example',
      IDP_ISSUER: idp.issuer,
      IDP_CLIENT_ID: [idp.clientId],
      IDP_CLIENT_SECRET: idp.clientSecret,
    })
    const answer = await secure.request('/api/auth/idp')
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^__Host-service-sign-in-idp=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    await secure.close()
  })

  it.each([
    ['no client id', { IDP_CLIENT_ID: [] }],
    ['no secret', { IDP_CLIENT_SECRET: undefined }],
    ['no issuer', { IDP_ISSUER: undefined }],
  ])('redirects to the login page with %s', async (_, missing) => {
    const without = await startSignIn({
      IDP_ISSUER: idp.issuer,
      IDP_CLIENT_ID: [idp.clientId],
      IDP_CLIENT_SECRET: idp.clientSecret,
      ...missing,
    })
    for (const path of ['/api/auth/idp', '/api/auth/idp/callback?code=a&state=b']) {
      const answer = await without.request(path)
      expect(answer.status).toBe(302)
      expect(answer.headers.get('location')).toBe(`${webUrl}/login?error=IdpNotConfigured`)
    }
    await without.close()
  })

  it('redirects to the login page while the provider is down, and works after its return', async () => {
    const other = await startIdentityProvider(callback)
    const platform = await startSignIn({
      IDP_ISSUER: other.issuer,
      IDP_CLIENT_ID: [other.clientId],
      IDP_CLIENT_SECRET: other.clientSecret,
    })
    other.down = true
    const down = await platform.request('/api/auth/idp')
    expect(down.headers.get('location')).toBe(`${webUrl}/login?error=IdpAuthError`)
    other.down = false
    const up = await platform.request('/api/auth/idp')
    expect(up.headers.get('location')).toMatch(new RegExp(`^${other.issuer}/`))
    await platform.close()
    await other.close()
  })

  it('uses no provider without TLS once deployed', async () => {
    const deployed = await startSignIn({
      deployed: true,
      IDP_ISSUER: idp.issuer,
      IDP_CLIENT_ID: [idp.clientId],
      IDP_CLIENT_SECRET: idp.clientSecret,
    })
    const answer = await deployed.request('/api/auth/idp')
    expect(answer.headers.get('location')).toBe(`${webUrl}/login?error=IdpAuthError`)
    await deployed.close()
  })
})

describe('a person who returns from the identity provider', () => {
  it('is signed in as a new user with a verified address', async () => {
    const { browser, page } = await arrive('new', { email: 'New@B.co', name: 'New One' })
    expect(page.url.href).toBe(`${webUrl}/dashboard`)
    expect(await signIn.whoIs(browser)).toMatchObject({ email: 'new@b.co', name: 'New One' })
    expect(await signIn.userOf('new@b.co')).toMatchObject({
      emailVerified: true,
      plan: 'free',
      creditMicroUsd: 0,
      referralCode: expect.any(String),
    })
    expect(browser.cookie('service-sign-in-idp')).toBeUndefined()
    expect(await signIn.mails()).toEqual([])
  })

  it('is the same user the next time, also with another address', async () => {
    const first = await arrive('again')
    const second = await arrive('again', { email: 'moved@b.co' })
    expect(second.page.url.pathname).toBe('/dashboard')
    expect(await signIn.whoIs(second.browser)).toEqual(await signIn.whoIs(first.browser))
    expect(await signIn.userOf('moved@b.co')).toBeUndefined()
  })

  it('stores a refresh token that only the platform can read', async () => {
    await arrive('offline')
    const user = await signIn.userOf('offline@b.co')
    const rows = await signIn.rowsOf(user?.id ?? '')
    expect(rows.get('provider#idp#offline')).toEqual({
      pk: `user#${user?.id}`,
      sk: 'provider#idp#offline',
      linkedAt: expect.any(String),
      refreshTokenSealed: expect.stringMatching(/^v1\.[\w-]{60,}$/),
    })
  })

  it.each([
    ['no address', { email: undefined, email_verified: undefined }],
    ['an unverified address', { email_verified: false }],
    ['an address without a verification status', { email_verified: undefined }],
    ['an invalid address', { email: 'unreachable' }],
    ['a wallet’s placeholder address', { email: '0x00@wallet.service' }],
  ])('is rejected with %s, and no user is created', async (_, person) => {
    const subject = `refused-${Math.random()}`
    const { browser, page } = await arrive(subject, person)
    expect(page.url.href).toBe(`${webUrl}/login?error=IdpNoEmail`)
    expect(await signIn.whoIs(browser)).toBeNull()
    const link = { pk: `provider#idp#${subject}`, sk: 'link' }
    expect(await signIn.accounts.table.get(link)).toBeUndefined()
    expect(await signIn.userOf(`${subject}@b.co`)).toBeUndefined()
  })

  it('may have the boolean as text, as some providers send it', async () => {
    const { page } = await arrive('texts', { email_verified: 'true' })
    expect(page.url.pathname).toBe('/dashboard')
  })

  it('authenticates with a secret in the form if the provider requires it', async () => {
    const other = await startIdentityProvider(callback, { clientProof: 'client_secret_post' })
    const platform = await startSignIn({
      IDP_ISSUER: other.issuer,
      IDP_CLIENT_ID: [other.clientId],
      IDP_CLIENT_SECRET: other.clientSecret,
    })
    other.people.set('form', { email: 'form@b.co', email_verified: true })
    const page = await other.signIn(platform.browser(), start, 'form')
    expect(page.url.pathname).toBe('/dashboard')
    await platform.close()
    await other.close()
  })

  it('is one user after many concurrent first sign-ins', async () => {
    idp.people.set('crowd', { email: 'crowd@b.co', email_verified: true })
    const browsers = Array.from({ length: 6 }, () => signIn.browser())
    const pages = await Promise.all(browsers.map((one) => idp.signIn(one, start, 'crowd')))
    expect(pages.map(({ url }) => url.pathname)).toEqual(pages.map(() => '/dashboard'))
    const users = await Promise.all(browsers.map((one) => signIn.whoIs(one)))
    expect(new Set(users.map((user) => user?.id)).size).toBe(1)
  })
})

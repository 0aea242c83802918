import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startStack, type Stack } from '#stacks/local/stack.ts'
import { freePorts } from '#stacks/local/testing/free-ports.ts'
import { startBrowser } from '../support/accounts/browser.ts'
import { type MockProvider, startMockProvider } from '../support/accounts/mock-identity-provider.ts'
import { claimsOf } from '../support/accounts/security-events.ts'
import { eventually } from '../support/clock/eventually.ts'
import { call } from '../support/http/client.ts'

const root = join(import.meta.dirname, '../..')

let idp: MockProvider
let stack: Stack
let dataDir: string

/** A stack of its own, because only this stack has an identity provider. */
beforeAll(async () => {
  idp = await startMockProvider()
  dataDir = await mkdtemp(join(tmpdir(), 'platform-idp-'))
  stack = await startStack({
    root,
    bundles: join(root, 'dist/functions'),
    environment: {
      DATA_DIR: dataDir,
      ...freePorts,
      IDP_ISSUER: idp.issuer,
      IDP_CLIENT_ID: 'platform-web,platform-app',
      IDP_CLIENT_SECRET: 'secret',
    },
  })
})
afterAll(async () => {
  await stack.close()
  await idp.close()
  await rm(dataDir, { recursive: true, force: true })
})

/** The stack's own address; the provider redirects browsers to it. */
const web = () => `http://localhost:${new URL(stack.urls.web).port}`

async function signIn() {
  idp.personOnce({ email: 'johndoe@b.co', email_verified: true, name: 'John Doe' })
  const browser = startBrowser(web(), (request) => fetch(request))
  const page = await browser.open(`${web()}/api/auth/idp`)
  const cookie = `service-session=${browser.cookie('service-session') ?? ''}`
  return { page, whoIs: () => call(`${web()}/api/auth/session`, { headers: { cookie } }) }
}

async function tell(name: string, reason?: string): Promise<void> {
  const subject = { subject_type: 'iss-sub', iss: idp.issuer, sub: 'johndoe' }
  const token = await idp.sign(claimsOf(idp.issuer, name, { subject, reason }))
  const answer = await fetch(`${web()}/api/security/risc`, {
    method: 'POST',
    headers: { 'content-type': 'application/secevent+jwt' },
    body: token,
  })
  expect([answer.status, await answer.text()]).toEqual([202, ''])
}

it('signs in by the identity provider, out by its security event, and in again once it permits', async () => {
  const first = await signIn()
  expect(first.page.url.href).toBe(`${web()}/dashboard`)
  expect((await first.whoIs()).body).toMatchObject({
    user: { email: 'johndoe@b.co', name: 'John Doe' },
  })

  await tell('account-disabled', 'hijacking')
  await eventually(async () => expect((await first.whoIs()).body).toEqual({ user: null }))
  const refused = await signIn()
  expect(refused.page.url.href).toBe(`${web()}/login?error=IdpDisabled`)

  await tell('account-enabled')
  await eventually(async () => expect((await signIn()).page.url.pathname).toBe('/dashboard'))
})

it('accepts an older path, and no token of another issuer', async () => {
  const url = `${web()}/api/auth/idp/risc`
  const claims = claimsOf(idp.issuer, 'account-compromised')
  const first = await signIn()
  expect((await first.whoIs()).body).toMatchObject({ user: { email: 'johndoe@b.co' } })
  const body = await idp.sign({ ...claims, sub: 'JohnDoe@b.co' })
  const answer = await fetch(url, { method: 'POST', body })
  expect([answer.status, await answer.json()]).toEqual([200, { received: true }])
  await eventually(async () => expect((await first.whoIs()).body).toEqual({ user: null }))

  const forged = await idp.sign({ ...claims, aud: 'another', sub: 'JohnDoe@b.co' })
  expect((await fetch(url, { method: 'POST', body: forged })).status).toBe(400)
})

import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { linkIn, type SentMail } from '../support/accounts/accounts.ts'
import { eventually } from '../support/clock/eventually.ts'
import { call, newUser, signIn, stack, type TestUser } from '../support/stack/platform.ts'

async function mailsTo(email: string): Promise<SentMail[]> {
  const dir = join(stack().dataDir, 'outbox')
  const files = (await readdir(dir)).filter((name) => name.endsWith('.json')).sort()
  const all = await Promise.all(
    files.map(async (name) => JSON.parse(await readFile(join(dir, name), 'utf8')) as SentMail),
  )
  return all.filter(({ to }) => to === email)
}

/** Waits for a mail, which is sent through a queue. */
function mailTo(email: string, subject: RegExp): Promise<SentMail> {
  return eventually(async () => {
    const mail = (await mailsTo(email)).findLast((one) => subject.test(one.subject))
    expect(mail, `a mail to ${email} like ${subject}`).toBeDefined()
    return mail!
  })
}

/** Opens a mail's link as its reader would, on this stack's port. */
async function open(mail: SentMail, headers = {}): Promise<string | null> {
  const { pathname, search } = linkIn(mail)
  const answer = await fetch(stack().web + pathname + search, { redirect: 'manual', headers })
  expect(answer.status).toBe(302)
  return answer.headers.get('location')
}

const web = (path: string) => `${stack().web}${path}`
const settingsOf = async ({ session }: Pick<TestUser, 'session'>) =>
  (await call(web('/api/settings'), { headers: session })).body
const statusOf = async (headers: { cookie: string }) =>
  (await call(web('/api/settings'), { headers })).status

const newPassword = 'battery staple'

describe('a user who forgot the password', () => {
  it('sets another by the mailed link, which ends every session', async () => {
    const user = await newUser()
    const request = await call(web('/api/auth/forgot-password'), { body: { email: user.email } })
    const unknown = await call(web('/api/auth/forgot-password'), {
      body: { email: `unknown-${randomUUID()}@example.com` },
    })
    expect([request.status, request.body]).toEqual([200, unknown.body])
    const link = linkIn(await mailTo(user.email, /Set a new password/))
    expect(link.pathname).toBe('/reset-password')
    const body = { token: link.searchParams.get('token'), password: newPassword }
    const uses = await Promise.all(
      Array.from({ length: 5 }, () => call(web('/api/auth/reset-password'), { body })),
    )
    expect(uses.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400])
    expect(await statusOf(user.session)).toBe(401)
    expect(await statusOf(await signIn(user.email, newPassword))).toBe(200)
    const old = await call(web('/api/auth/login'), {
      body: { email: user.email, password: user.password },
    })
    expect(old.status).toBe(401)
    await mailTo(user.email, /password was changed/)
  })
})

describe('a user who moves to another address', () => {
  it('has it once the mailed link is opened, and signs in with it', async () => {
    const user = await newUser()
    const email = `moved-${randomUUID()}@example.com`
    const request = await call(web('/api/settings'), {
      headers: user.session,
      body: { email, currentPassword: user.password },
    })
    expect([request.status, request.body]).toEqual([200, await settingsOf(user)])
    expect(request.body.email).toBe(user.email)
    await mailTo(user.email, /about to change/)
    const mail = await mailTo(email, /Confirm your new/)
    expect(await open(mail)).toMatch(/\/verify-email\?token=/)
    expect((await settingsOf(user)).email).toBe(user.email)
    expect(await open(mail, user.session)).toMatch(/\/login\?verified=1$/)
    expect(await settingsOf(user)).toMatchObject({ id: user.id, email })
    expect(await statusOf(await signIn(email, user.password))).toBe(200)
    await mailTo(user.email, /was changed/)
    const other = await newUser()
    const received = await call(web('/api/settings'), {
      headers: other.session,
      body: { email, currentPassword: other.password },
    })
    expect(received.status).toBe(409)
  })
})

describe('a user who changes the password', () => {
  it('keeps this session and ends every other', async () => {
    const user = await newUser()
    const elsewhere = await signIn(user.email, user.password)
    const { status, body } = await call(web('/api/settings/password'), {
      headers: user.session,
      body: { currentPassword: user.password, newPassword },
    })
    expect([status, body]).toEqual([200, { success: true }])
    expect([await statusOf(user.session), await statusOf(elsewhere)]).toEqual([200, 401])
    await mailTo(user.email, /password was changed/)
  })
})

describe('a user’s preferences', () => {
  it('are stored and returned with the profile', async () => {
    const user = await newUser()
    const notifications = { email: true, push: { crash: false } }
    const { status, body } = await call(web('/api/settings'), {
      method: 'PATCH',
      headers: user.session,
      body: { name: 'Ada', notifications, spendCapUsd: 5 },
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: user.id,
      email: user.email,
      name: 'Ada',
      plan: 'free',
      credits: 0,
      twoFactorEnabled: false,
      spendCapUsd: 5,
      spendCapUsdPerDay: null,
      notifications,
    })
    expect(await settingsOf(user)).toEqual(body)
  })
})

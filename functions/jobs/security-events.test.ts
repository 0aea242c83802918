import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { sessionIdentity } from '../../shared/accounts/identity.ts'
import { createKey } from '../../shared/keys/create.ts'
import { findKey } from '../../shared/keys/find.ts'
import { sha256Hex } from '../../shared/platform/crypto.ts'
import { mayUse } from '../../shared/providers/linking/access.ts'
import type { SecurityEventMessage } from '../../shared/security-events/topic.ts'
import { password, sessionOf } from '../../tests/support/accounts.ts'
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../../tests/support/identity-provider.ts'
import { type SecurityEvents, startSecurityEvents } from '../../tests/support/security-events.ts'
import { type SignIn, startSignIn, webUrl } from '../../tests/support/sign-in.ts'
import { contextOf } from '../../tests/support/context.ts'

const start = `${webUrl}/api/auth/idp`

let idp: IdentityProvider
let signIn: SignIn
let events: SecurityEvents

beforeAll(async () => {
  idp = await startIdentityProvider(`${start}/callback`)
  const settings = {
    IDP_ISSUER: idp.issuer,
    IDP_CLIENT_ID: [idp.clientId],
    IDP_CLIENT_SECRET: idp.clientSecret,
  }
  signIn = await startSignIn(settings)
  events = await startSecurityEvents(settings, signIn.accounts)
})
afterAll(async () => {
  await events.close()
  await signIn.close()
  await idp.close()
})

let count = 0
const unique = () => `person-${++count}`

/** A message of the queue. */
function message(
  name: string,
  subject: { sub?: string; email?: string },
  change: Partial<SecurityEventMessage> & { reason?: string } = {},
): SecurityEventMessage {
  const { reason, ...rest } = change
  const receivedAt = Date.now()
  const event = { name, subject, ...(reason !== undefined && { reason }) }
  const jti = `jti-${++count}`
  return {
    receiver: 'risc',
    jti,
    receivedAt,
    occurredAt: receivedAt / 1000,
    events: [event],
    ...rest,
  }
}

/** A user who has signed in by the provider. */
async function arrive(subject = unique()) {
  idp.people.set(subject, { email: `${subject}@b.co`, email_verified: true })
  const browser = signIn.browser()
  const page = await idp.signIn(browser, start, subject)
  const user = await signIn.whoIs(browser)
  const session = browser.cookie('service-session') ?? ''
  return { subject, email: `${subject}@b.co`, id: user?.id ?? '', session, page }
}

async function holds(session: string): Promise<boolean> {
  const answer = await signIn.accounts.call('GET', '/api/auth/session', { session })
  return ((await answer.json()) as { user: unknown }).user !== null
}

const seenRow = (hash: string) => ({ pk: `risc#${hash}`, sk: 'risc' })

const enabled = (userId: string) => mayUse(signIn.accounts.table, userId, 'idp')

async function newKey(session: string): Promise<string> {
  const { table } = signIn.accounts
  const user = await sessionIdentity(table, [])(session)
  if (user === undefined) throw new Error('the session is none')
  return (await createKey(contextOf(table, user), { name: 'laptop' })).key
}

async function signInByPassword(email: string): Promise<string> {
  const body = { email, password }
  return sessionOf(await signIn.accounts.call('POST', '/api/auth/login', { body }))
}

describe('what an event does', () => {
  const hijacking = { reason: 'hijacking' }
  const legacy = { receiver: 'legacy' } as const

  it.each<[string, Parameters<typeof message>[2], { session: boolean; enabled: boolean }]>([
    ['account-disabled', hijacking, { session: false, enabled: false }],
    ['account-disabled', { reason: 'bulk-account' }, { session: false, enabled: true }],
    ['account-disabled', {}, { session: false, enabled: true }],
    ['account-enabled', {}, { session: true, enabled: true }],
    ['sessions-revoked', {}, { session: false, enabled: true }],
    ['tokens-revoked', {}, { session: false, enabled: true }],
    ['account-credential-change-required', {}, { session: true, enabled: true }],
    ['verification', {}, { session: true, enabled: true }],
    ['account-compromised', {}, { session: true, enabled: true }],
    ['identifier-changed', {}, { session: true, enabled: true }],
    ['https://elsewhere.example/sessions-revoked', {}, { session: true, enabled: true }],
    ['account-disabled', { ...legacy, ...hijacking }, { session: false, enabled: true }],
    ['account-enabled', legacy, { session: true, enabled: true }],
    ['sessions-revoked', legacy, { session: false, enabled: true }],
    ['tokens-revoked', legacy, { session: true, enabled: true }],
    ['account-compromised', legacy, { session: false, enabled: true }],
    ['identifier-changed', legacy, { session: false, enabled: true }],
    ['verification', legacy, { session: true, enabled: true }],
  ])('%s %j leaves %j', async (name, change, expected) => {
    const user = await arrive()
    const bystander = await arrive()
    const subject = change?.receiver === 'legacy' ? { email: user.email } : { sub: user.subject }
    await events.handle([message(name, subject, change)])
    expect({ session: await holds(user.session), enabled: await enabled(user.id) }).toEqual(
      expected,
    )
    expect(await holds(bystander.session)).toBe(true)
  })

  it.each<[string, Parameters<typeof message>[2], boolean]>([
    ['account-disabled', hijacking, false],
    ['account-disabled', { reason: 'bulk-account' }, true],
    ['sessions-revoked', {}, true],
    ['tokens-revoked', hijacking, false],
    ['credential-compromise', {}, false],
    ['account-credential-change-required', {}, true],
    ['account-disabled', { ...legacy, ...hijacking }, false],
    ['account-compromised', legacy, false],
    ['sessions-revoked', legacy, true],
  ])(
    'ends every key where it says that somebody else was in the account: %s %j',
    async (name, change, kept) => {
      const { table } = signIn.accounts
      const [user, bystander] = [await arrive(), await arrive()]
      const [key, other] = [await newKey(user.session), await newKey(bystander.session)]
      const subject = change?.receiver === 'legacy' ? { email: user.email } : { sub: user.subject }
      await events.handle([message(name, subject, change)])
      expect((await findKey(table, key)) !== undefined).toBe(kept)
      expect(await findKey(table, other)).toBeDefined()
    },
  )

  it('ends every session, those by password too, and lets a disabled person sign in by that', async () => {
    const email = `${unique()}@b.co`
    const local = await signIn.accounts.signUp(email)
    const sessions = [local.session, await signInByPassword(email)]
    await events.handle([message('account-disabled', { email }, hijacking)])
    for (const session of sessions) expect(await holds(session)).toBe(false)
    expect(await holds(await signInByPassword(email))).toBe(true)
  })

  it('keeps a disabled person out until the provider enables them again', async () => {
    const user = await arrive()
    await events.handle([message('account-disabled', { sub: user.subject }, hijacking)])
    const refused = await arrive(user.subject)
    expect(refused.page.url.href).toBe(`${webUrl}/login?error=IdpDisabled`)
    await events.handle([message('account-enabled', { sub: user.subject })])
    expect((await arrive(user.subject)).id).toBe(user.id)
  })
})

describe('whom an event is about', () => {
  it('is the provider’s person first, and only else who has the address', async () => {
    const [person, namesake] = [await arrive(), await arrive()]
    await events.handle([
      message('sessions-revoked', { sub: person.subject, email: namesake.email }),
    ])
    expect(await holds(person.session)).toBe(false)
    expect(await holds(namesake.session)).toBe(true)
    const email = ` ${namesake.email.toUpperCase()} `
    await events.handle([message('sessions-revoked', { sub: 'unknown', email })])
    expect(await holds(namesake.session)).toBe(false)
  })

  it('may be unknown, which is no error', async () => {
    const subjects = [{}, { sub: 'unknown' }, { email: 'nobody@b.co' }, { email: '' }, { sub: '' }]
    for (const subject of [...subjects, { sub: 's'.repeat(5000), email: 'e'.repeat(5000) }])
      await expect(
        events.handle([message('account-disabled', subject, { reason: 'hijacking' })]),
      ).resolves.toBeUndefined()
  })
})

describe('an event that comes again', () => {
  it('does nothing a second time, however late, for thirty days', async () => {
    const user = await arrive()
    const event = message('sessions-revoked', { sub: user.subject })
    await events.handle([event])
    const { session } = await arrive(user.subject)
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + 29 * 86_400_000)
    await events.handle([event])
    vi.useRealTimers()
    expect(await holds(session)).toBe(true)
  })

  it('is told from one of the same name at the other receiver, which does less', async () => {
    const user = await arrive()
    const change = { jti: 'both', reason: 'hijacking' }
    await events.handle([
      message('account-disabled', { email: user.email }, { ...change, receiver: 'legacy' }),
      message('account-disabled', { sub: user.subject }, change),
    ])
    expect(await enabled(user.id)).toBe(false)
  })

  it('may come with others in any order and any number: the latest decides', async () => {
    const history = fc
      .uniqueArray(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 6 })
      .chain((times) =>
        fc
          .tuple(...times.map((occurredAt) => fc.tuple(fc.constant(occurredAt), fc.boolean())))
          .chain((happened) =>
            fc.tuple(
              fc.constant(happened),
              fc.shuffledSubarray([...happened.keys(), ...happened.keys()], {
                minLength: 2 * happened.length,
              }),
            ),
          ),
      )
    await fc.assert(
      // Killed: as if every process had ended between what an event does and the row that it is known by.
      fc.asyncProperty(history, fc.boolean(), async ([happened, order], killed) => {
        const email = `${unique()}@b.co`
        const { id } = await signIn.accounts.signUp(email)
        const messages = happened.map(([occurredAt, disabled]) =>
          disabled
            ? message('account-disabled', { email }, { occurredAt, reason: 'hijacking' })
            : message('account-enabled', { email }, { occurredAt }),
        )
        for (const one of order.map((i) => messages[i]).filter((m) => m !== undefined)) {
          await events.handle([one])
          if (killed) await signIn.accounts.table.delete(seenRow(await sha256Hex(one.jti)))
        }
        const latest = happened.toSorted(([a], [b]) => b - a)[0]
        expect(await enabled(id)).toBe(latest?.[1] !== true)
      }),
      { numRuns: 40, interruptAfterTimeLimit: 60_000 },
    )
  }, 120_000)

  it('of the same second is judged by when it was received', async () => {
    const user = await arrive()
    const at = { occurredAt: Math.floor(Date.now() / 1000), receivedAt: Date.now() }
    const disabled = { ...at, reason: 'hijacking' }
    const later = { ...at, receivedAt: at.receivedAt + 1 }
    await events.handle([message('account-disabled', { sub: user.subject }, disabled)])
    await events.handle([message('account-enabled', { sub: user.subject }, later)])
    expect(await enabled(user.id)).toBe(true)
    await events.handle([message('account-disabled', { sub: user.subject }, disabled)])
    expect(await enabled(user.id)).toBe(true)
  })
})

describe('tokens-revoked', () => {
  const tokenOf = async (userId: string, subject: string) =>
    (await signIn.rowsOf(userId)).get(`provider#idp#${subject}`)?.refreshTokenSealed

  it('takes the refresh token away here and at the provider', async () => {
    const user = await arrive()
    expect(await tokenOf(user.id, user.subject)).toMatch(/^v1\./)
    const before = idp.revoked.length
    await events.handle([message('tokens-revoked', { sub: user.subject })])
    expect(await tokenOf(user.id, user.subject)).toBeUndefined()
    expect(idp.revoked.length).toBe(before + 1)
    expect((await arrive(user.subject)).id).toBe(user.id)
    expect(await tokenOf(user.id, user.subject)).toMatch(/^v1\./)
  })

  it('does not open a token that lies in another user’s row', async () => {
    const [owner, thief] = [await arrive(), await arrive()]
    const row = { pk: `user#${thief.id}`, sk: `provider#idp#${thief.subject}` }
    const stolen = await tokenOf(owner.id, owner.subject)
    await signIn.accounts.table.update(row, { set: { refreshTokenSealed: stolen } })
    const before = idp.revoked.length
    await events.handle([message('tokens-revoked', { sub: thief.subject })])
    expect(idp.revoked.length).toBe(before)
    expect(await tokenOf(thief.id, thief.subject)).toBeUndefined()
  })

  it('takes it away here even where the provider cannot be asked', async () => {
    const user = await arrive()
    const gone = await startIdentityProvider(`${start}/callback`)
    gone.down = true
    const alone = await startSecurityEvents(
      {
        IDP_ISSUER: gone.issuer,
        IDP_CLIENT_ID: [gone.clientId],
        IDP_CLIENT_SECRET: gone.clientSecret,
      },
      signIn.accounts,
    )
    await alone.handle([message('tokens-revoked', { sub: user.subject })])
    expect(await tokenOf(user.id, user.subject)).toBeUndefined()
    expect(await holds(user.session)).toBe(false)
    await alone.close()
    await gone.close()
  })
})

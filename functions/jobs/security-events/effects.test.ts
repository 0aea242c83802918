import { describe, expect, it } from 'vitest'
import { createKey } from '#shared/accounts/keys/create.ts'
import { findKey } from '#shared/accounts/keys/find.ts'
import { keyHashes } from '#shared/accounts/keys/hashes.ts'
import { sessionIdentity } from '#shared/accounts/users/identity.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import { password, sessionOf } from '#tests/support/accounts/accounts.ts'
import { addedBy } from '#tests/support/accounts/audit.ts'
import { message, unique, useIdpEvents } from '#tests/support/accounts/idp-events.ts'
import { webUrl } from '#tests/support/accounts/sign-in.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { contextOf } from '#tests/support/platform/context.ts'

const on = useIdpEvents()

async function newKey(session: string): Promise<string> {
  const { table } = on.signIn.accounts
  const user = await sessionIdentity(table, [])(session)
  if (user === undefined) throw new Error('the session is none')
  return (
    await createKey(
      { ...contextOf(table, user), hashes: keyHashes({ cost: 4 }) },
      { name: 'laptop' },
    )
  ).key
}

async function signInByPassword(email: string): Promise<string> {
  const body = { email, password }
  return sessionOf(await on.signIn.accounts.call('POST', '/api/auth/login', { body }))
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
  ])('an event %s %j results in %j', async (name, change, expected) => {
    const user = await on.arrive()
    const bystander = await on.arrive()
    const subject = change?.receiver === 'legacy' ? { email: user.email } : { sub: user.subject }
    await on.events.handle([message(name, subject, change)])
    expect({ session: await on.holds(user.session), enabled: await on.enabled(user.id) }).toEqual(
      expected,
    )
    expect(await on.holds(bystander.session)).toBe(true)
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
    'an event deletes every key if it reports a hijacked account: %s %j',
    async (name, change, kept) => {
      const { table } = on.signIn.accounts
      const [user, bystander] = [await on.arrive(), await on.arrive()]
      const webhookUrl = 'https://hooks.example/messages'
      const owned = async ({ id }: { id: string }) =>
        putAgent(table, id, { config: { webhookUrl } })
      const [agent, neighbour] = [await owned(user), await owned(bystander)]
      const webhookOf = async ({ id }: { id: string }) =>
        (await findAgent({ table }, { agentId: id, owner: undefined }))?.config.webhookUrl
      const [key, other] = [await newKey(user.session), await newKey(bystander.session)]
      const subject = change?.receiver === 'legacy' ? { email: user.email } : { sub: user.subject }
      await on.events.handle([message(name, subject, change)])
      expect((await findKey(table, key)) !== undefined).toBe(kept)
      expect(await findKey(table, other)).toBeDefined()
      expect(await webhookOf(agent)).toBe(kept ? webhookUrl : undefined)
      expect(await webhookOf(neighbour)).toBe(webhookUrl)
    },
  )

  it('an event ends every session, including sessions by password, and lets a disabled person sign in by password', async () => {
    const email = `${unique()}@b.co`
    const local = await on.signIn.accounts.signUp(email)
    const sessions = [local.session, await signInByPassword(email)]
    await on.events.handle([message('account-disabled', { email }, hijacking)])
    for (const session of sessions) expect(await on.holds(session)).toBe(false)
    expect(await on.holds(await signInByPassword(email))).toBe(true)
  })

  it('an event blocks the sign-in of a disabled person until the provider enables it again', async () => {
    const user = await on.arrive()
    await on.events.handle([message('account-disabled', { sub: user.subject }, hijacking)])
    const refused = await on.arrive(user.subject)
    expect(refused.page.url.href).toBe(`${webUrl}/login?error=IdpDisabled`)
    await on.events.handle([message('account-enabled', { sub: user.subject })])
    expect((await on.arrive(user.subject)).id).toBe(user.id)
  })
})

describe('the person of an event', () => {
  it('is found by the provider’s id first, and otherwise by address', async () => {
    const [person, namesake] = [await on.arrive(), await on.arrive()]
    await on.events.handle([
      message('sessions-revoked', { sub: person.subject, email: namesake.email }),
    ])
    expect(await on.holds(person.session)).toBe(false)
    expect(await on.holds(namesake.session)).toBe(true)
    const email = ` ${namesake.email.toUpperCase()} `
    await on.events.handle([message('sessions-revoked', { sub: 'unknown', email })])
    expect(await on.holds(namesake.session)).toBe(false)
  })

  it('an event about an unknown person causes no error', async () => {
    const subjects = [{}, { sub: 'unknown' }, { email: 'unknown@b.co' }, { email: '' }, { sub: '' }]
    for (const subject of [...subjects, { sub: 's'.repeat(5000), email: 'e'.repeat(5000) }])
      await expect(
        on.events.handle([message('account-disabled', subject, { reason: 'hijacking' })]),
      ).resolves.toBeUndefined()
  })
})

describe('the audit', () => {
  it('records that the provider ended the sessions, and nothing for an event without effect', async () => {
    const { table } = on.signIn.accounts
    const { id, subject } = await on.arrive()
    const handling = (name: string) => () => on.events.handle([message(name, { sub: subject })])
    const [entry, ...more] = await addedBy(table, id, handling('sessions-revoked'))
    expect([entry, more]).toMatchObject([{ action: 'sessions.ended', actor: 'provider' }, []])
    expect(await addedBy(table, id, handling('verification'))).toEqual([])
  })
  it('records that a provider disabled and enabled the sign-in, once each', async () => {
    const { table } = on.signIn.accounts
    const { id, subject } = await on.arrive()
    const handling = (name: string, change?: { reason: string }) => async () => {
      const entries = await addedBy(table, id, () =>
        on.events.handle([message(name, { sub: subject }, change)]),
      )
      return entries.filter(({ action }) => action === 'provider.linked')
    }
    const disable = handling('account-disabled', { reason: 'hijacking' })
    const enable = handling('account-enabled')
    const closed = await disable()
    expect(closed).toMatchObject([{ actor: 'provider', target: 'idp' }])
    expect(await disable()).toEqual([])
    const opened = await enable()
    expect(opened).toMatchObject([{ before: closed[0]?.after, after: closed[0]?.before }])
    expect(await enable()).toEqual([])
  })
})

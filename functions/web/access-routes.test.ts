import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bcryptPasswords } from '#shared/accounts/users/password.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { allRoutes } from '#tests/support/http/routes.ts'
import { lostQueues } from '#tests/support/platform/context.ts'
import * as account from './account.ts'
import * as withdrawals from './withdrawals.ts'

/**
 * The routes that show or change how an account is entered, and the credential that each requires: contract.md 2, 11
 * and 12.
 * - recent: the password, or without one a sign-in within the last 15 minutes
 * - session: a session of any age, and never a key
 * - admin: a session, or a key with the scope `admin`
 * - self: a session, a key with the scope `admin`, or the key that the request deletes
 * - sign-in: a credential of the new session, or the token of a mailed link
 * - event: the signature of the identity provider
 */
const required = {
  'account.delete': 'recent',
  'auth.codehost.finish': 'sign-in',
  'auth.endSession': 'session',
  'auth.idp.finish': 'sign-in',
  'auth.listSessions': 'session',
  'auth.openVerificationLink': 'sign-in',
  'auth.register': 'sign-in',
  'auth.resetPassword': 'sign-in',
  'auth.verifyEmail': 'sign-in',
  'keys.create': 'admin',
  'keys.delete': 'self',
  'oauth.decideDevice': 'session',
  'oauth.decideRequest': 'session',
  'oauth.getDevice': 'session',
  'oauth.getRequest': 'session',
  'securityEvents.receive': 'event',
  'securityEvents.receiveLegacy': 'event',
  'settings.changeAccount': 'recent',
  'settings.changePassword': 'recent',
  'settings.telemetry.set': 'admin',
  'wallet.signIn': 'sign-in',
  'withdrawals.create': 'recent',
} as const

type Requirement = (typeof required)[keyof typeof required]

const named = (requirement: Requirement) =>
  Object.entries(required)
    .filter(([, one]) => one === requirement)
    .map(([name]) => name)

const entering =
  /^(account\.created|email\.changed|key\.(created|deleted)|password\.changed|provider\.linked|sessions\.ended)$/

const routes = (await allRoutes()).filter(
  ({ surface, route: { guard, codes = [], audits = [] } }) =>
    surface === 'web' &&
    (guard === 'own-session' ||
      codes.includes('SESSION_REQUIRED') ||
      audits.some((action) => entering.test(action))),
)
const routeOf = (name: string) => routes.find(({ route }) => route.name === name)!.route

/** The routes that need a recent sign-in: a request that succeeds after one, for a user without a password. */
const recent: Record<string, { body: (email: string) => object; status: number }> = {
  'account.delete': { body: (email) => ({ confirm: email }), status: 202 },
  'settings.changeAccount': { body: (email) => ({ email: `new-${email}` }), status: 200 },
  'settings.changePassword': { body: () => ({ newPassword: 'of the thief' }), status: 200 },
  // The agent is looked up after the proof.
  'withdrawals.create': {
    body: () => ({
      agentId: 'agt_none',
      to: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      amount: '1',
    }),
    status: 404,
  },
}

let keys: Keys
let deletes: ReturnType<typeof callerOf>
let withdraws: ReturnType<typeof callerOf>
beforeAll(async () => {
  keys = await startKeys()
  deletes = callerOf(account, {
    table: keys.table,
    passwords: bcryptPasswords(4),
    queues: lostQueues,
    encryptionKey: undefined,
    webUrl: 'http://localhost:3000',
    lockouts: true,
  })
  withdraws = callerOf(withdrawals, {
    table: keys.table,
    passwords: bcryptPasswords(4),
    queues: lostQueues,
    chain: { EVM_CHAIN_ID: 8453 },
    lockouts: true,
  })
})
afterAll(() => keys.close())

async function ask(
  name: string,
  body: object,
  { session, key }: { session?: string; key?: string },
): Promise<[number, Record<string, unknown>]> {
  const { method, path } = routeOf(name)
  const other = { account: deletes, withdrawals: withdraws }
  const call = other[name.split('.', 1)[0] as keyof typeof other] ?? keys.accounts
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const answer = await call(method, path, { body, headers, ...(session && { session }) })
  return [answer.status, (await answer.json()) as Record<string, unknown>]
}

/** Creates a user without a password, whose session is this old. */
async function withoutPassword(email: string, minutes: number) {
  const user = await keys.signUp(email)
  const pk = `user#${user.id}`
  await keys.table.update({ pk, sk: 'profile' }, { remove: ['passwordHash'] })
  const [row] = (await keys.table.query({ pk, beginsWith: 'session#' })).items
  const createdAt = new Date(Date.now() - minutes * 60_000).toISOString()
  await keys.table.update({ pk, sk: row!.sk }, { set: { createdAt } })
  return user
}

describe('a route that changes how an account is entered', () => {
  it('has a known requirement', () => {
    expect(routes.map(({ route }) => route.name).sort()).toEqual(Object.keys(required).sort())
  })

  it('takes a session, never a key, unless any key with admin may call it', () => {
    const ownSession = routes.filter(({ route }) => route.guard === 'own-session')
    const others = ownSession.map(({ route }) => route.name)
    // It also changes the name, which a key may do.
    expect([...others, 'settings.changeAccount'].sort()).toEqual(
      [...named('recent'), ...named('session')].sort(),
    )
    expect(named('admin').map((name) => routeOf(name).scope)).toEqual(['admin', 'admin'])
  })

  it('is tested for a recent sign-in if it needs one', () => {
    expect(Object.keys(recent)).toEqual(named('recent'))
  })

  it.each(Object.entries(recent))(
    '%s needs a sign-in of the last 15 minutes from a user without a password',
    async (name, { body, status }) => {
      const place = name.replaceAll('.', '-').toLowerCase()
      const old = { email: `old-${place}@b.co`, minutes: 15 }
      const { id, session } = await withoutPassword(old.email, old.minutes)
      const row = () => keys.table.get({ pk: `user#${id}`, sk: 'profile' })
      const before = await row()
      const [refused, reason] = await ask(name, body(old.email), { session })
      expect([refused, reason.code]).toEqual([403, 'SESSION_REQUIRED'])
      expect(await row()).toEqual(before)
      const email = `recent-${place}@b.co`
      const fresh = await withoutPassword(email, 14)
      expect((await ask(name, body(email), fresh))[0]).toBe(status)
    },
  )

  it.each(Object.entries(recent))('%s accepts no key', async (name, { body }) => {
    const email = `key-${name.replaceAll('.', '-').toLowerCase()}@b.co`
    const { session } = await withoutPassword(email, 0)
    const scopes = ['read', 'chat', 'write', 'money', 'admin']
    const { key } = await keys.newKey(session, 'all', { scopes })
    const [status, { code }] = await ask(name, body(email), { key })
    expect([status, code]).toEqual([403, 'SESSION_REQUIRED'])
  })
})

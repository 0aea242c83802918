import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { profileKey } from '#shared/accounts/users/user.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { linkIn, password, sessionOf } from '#tests/support/accounts/accounts.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { webhookEndpoints } from '#tests/support/tools/webhook-endpoints.ts'
import { startWebhook, type Webhook } from '#tests/support/tools/webhook-receiver.ts'

let keys: Keys
let hooks: ReturnType<typeof webhookEndpoints>
/** The webhook of the attacker who took over Ada's account. */
let theirs: Webhook
let ada: { id: string; session: string }
let email: string
let users = 0

beforeAll(async () => {
  keys = await startKeys()
})
afterAll(() => keys.close())
beforeEach(async () => {
  theirs = await startWebhook()
  hooks = webhookEndpoints(keys.table)
  email = `taken${users++}@b.co`
  ada = await keys.signUp(email)
  await hooks.create(ada.session, theirs.url, ['key.created'])
  return () => theirs.close()
})

async function signIn(withPassword = password): Promise<string> {
  const body = { email, password: withPassword }
  return sessionOf(await keys.accounts('POST', '/api/auth/login', { body }))
}

async function resetPassword(): Promise<string> {
  await keys.accounts('POST', '/api/auth/forgot-password', { body: { email } })
  await keys.sendResets()
  const token = linkIn(await keys.mailTo(email, /new password/)).searchParams.get('token')
  const body = { token, password: 'battery staple' }
  expect((await keys.accounts('POST', '/api/auth/reset-password', { body })).status).toBe(200)
  return signIn('battery staple')
}

/** Creates a key, which triggers an event for the endpoints, and runs the tick and the queue. */
async function act(session: string): Promise<void> {
  await keys.newKey(session)
  await hooks.run(Date.now() + 1000)
}

const listed = (session: string) => platformOver(hooks.call, { session }).webhookEndpoints.list()

describe('a password reset', () => {
  it('disables the earlier endpoints, which their user still sees, and no new one', async () => {
    const session = await resetPassword()
    expect(await listed(session)).toMatchObject([
      { url: theirs.url, disabledAt: expect.any(String) },
    ])
    const own = await startWebhook()
    await hooks.create(session, own.url, ['key.created'])
    await act(session)
    expect([theirs.posted.length, own.posted.length]).toEqual([0, 1])
    await own.close()
  })

  it('stops pending and repeated deliveries to them', async () => {
    theirs.answers({ status: 500 })
    await act(ada.session)
    expect(theirs.posted).toHaveLength(1)
    const session = await resetPassword()
    const hour = 3_600_000
    await hooks.run(Date.now() + hour)
    const [endpoint] = await listed(session)
    const path = `/${endpoint?.id}/deliveries`
    const [delivery] = await hooks.deliveries(session, String(endpoint?.id))
    expect(delivery).toMatchObject({ status: 'failed', attempts: 1 })
    await hooks.ask('POST', `${path}/${delivery?.id}/redeliver`, { session })
    await hooks.ask('POST', `/${endpoint?.id}/test`, { session })
    await hooks.run(Date.now() + 2 * hour)
    expect(theirs.posted).toHaveLength(1)
  })

  it('disables them in the same transaction, although its process is killed right after', async () => {
    await userStore(keys.table, ada.id).update(profileKey, { set: { keyEpoch: 1 } })
    await act(ada.session)
    expect(theirs.posted).toEqual([])
    expect(await listed(ada.session)).toMatchObject([{ disabledAt: expect.any(String) }])
  })
})

it('a password change keeps endpoints and keys', async () => {
  const body = { currentPassword: password, newPassword: 'battery staple' }
  const answer = await keys.accounts('POST', '/api/settings/password', {
    session: ada.session,
    body,
  })
  expect(answer.status).toBe(200)
  await act(await signIn('battery staple'))
  expect(theirs.posted).toHaveLength(1)
})

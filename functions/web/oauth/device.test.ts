import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { type OAuth, startOAuth } from '#tests/support/accounts/oauth.ts'

let on: OAuth
let clientId: string
let session: string

beforeAll(async () => {
  on = await startOAuth()
  clientId = await on.register({ client_name: 'CLI', redirect_uris: undefined })
  ;({ session } = await on.signUp('ada@b.co'))
})
afterAll(() => on.close())

const refused = (error: string) => [400, { error, error_description: expect.any(String) }]

async function begin(more: Record<string, string> = {}) {
  const form = { client_id: clientId, host: 'laptop', ...more }
  const [status, body] = await on.post('/oauth/device_authorization', form)
  expect(status).toBe(200)
  return body as { device_code: string; user_code: string; interval: number }
}

const poll = (device_code: string, client_id = clientId) =>
  on.post('/oauth/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    client_id,
    device_code,
  })

const look = (code: string, by = session) =>
  on.oauth('GET', `/oauth/device?user_code=${encodeURIComponent(code)}`, { session: by })

const decide = (userCode: unknown, approve: unknown, by = session) =>
  on.oauth('POST', '/oauth/device', { session: by, body: { userCode, approve } })

const rowOf = async (code: string) => ({
  pk: `oauth-device#${await sha256Hex(code)}`,
  sk: 'device',
})

/** Five seconds pass for a device. */
async function wait(code: string) {
  const askedAt = new Date(Date.now() - 60_000).toISOString()
  await on.table.update(await rowOf(code), { set: { askedAt } })
}

describe('a device', () => {
  it('gets codes, waits, and then gets tokens, once', async () => {
    const device = await begin()
    expect(device).toEqual({
      device_code: expect.any(String),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: 'http://localhost:3000/device',
      verification_uri_complete: `http://localhost:3000/device?user_code=${device.user_code}`,
      expires_in: 600,
      interval: 5,
    })
    expect(await poll(device.device_code)).toEqual(refused('authorization_pending'))
    const shown = await look(device.user_code.toLowerCase().replace('-', ' '))
    expect(await shown.json()).toEqual({
      userCode: device.user_code,
      clientName: 'CLI',
      scopes: ['read', 'chat', 'write'],
      host: 'laptop',
      address: expect.any(String),
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    })
    const answer = await decide(device.user_code, true)
    expect([answer.status, await answer.json()]).toEqual([200, { approved: true }])
    const answers = await Promise.all([1, 2, 3].map(() => poll(device.device_code)))
    expect(answers.map(([status]) => status).sort()).toEqual([200, 400, 400])
    const [, tokens] = answers.find(([status]) => status === 200) ?? []
    expect(await on.opens(String(tokens?.access_token))).toBe(true)
    expect(await poll(device.device_code)).toEqual(refused('expired_token'))
    expect((await decide(device.user_code, true)).status).toBe(404)
  })

  it('a device that polls too fast gets slow_down, and waits longer', async () => {
    const { device_code: code } = await begin()
    expect(await poll(code)).toEqual(refused('authorization_pending'))
    expect(await poll(code)).toEqual(refused('slow_down'))
    expect((await on.table.get(await rowOf(code)))?.interval).toBe(10)
    await wait(code)
    expect(await poll(code)).toEqual(refused('authorization_pending'))
  })

  it('gets the error access_denied', async () => {
    const device = await begin()
    expect(await (await decide(device.user_code, false)).json()).toEqual({ approved: false })
    expect(await poll(device.device_code)).toEqual(refused('access_denied'))
    expect((await decide(device.user_code, true)).status).toBe(404)
  })

  it('gets nothing after ten minutes, by another program, or after its user’s sessions ended', async () => {
    const late = await begin()
    await on.table.update(await rowOf(late.device_code), {
      set: { validUntil: new Date(Date.now() - 1).toISOString() },
    })
    expect(await poll(late.device_code)).toEqual(refused('expired_token'))
    expect((await look(late.user_code)).status).toBe(404)
    const moved = await on.signUp('moved@b.co')
    const device = await begin()
    await decide(device.user_code, true, moved.session)
    expect(await poll(device.device_code, await on.register())).toEqual(refused('invalid_grant'))
    await on.table.update({ pk: `user#${moved.id}`, sk: 'profile' }, { set: { accessEpoch: 1 } })
    expect((await poll(device.device_code))[0]).toBe(400)
  })

  it('requires a registered program and valid scopes', async () => {
    const begun = (form: Record<string, string>) => on.post('/oauth/device_authorization', form)
    expect((await begun({}))[0]).toBe(401)
    expect(await begun({ client_id: clientId, scope: 'root' })).toEqual(refused('invalid_scope'))
    expect(await poll('nothing')).toEqual(refused('invalid_grant'))
  })
})

describe('entering a code', () => {
  it('requires a session, and fields of the right form', async () => {
    const { user_code: code } = await begin()
    expect((await on.oauth('GET', `/oauth/device?user_code=${code}`)).status).toBe(401)
    const { key } = await on.newKey(session, 'all', { scopes: ['admin'] })
    const body = { userCode: code, approve: true }
    expect((await on.oauth('POST', '/oauth/device', { key, body })).status).toBe(403)
    for (const [userCode, approve] of [
      [undefined, true],
      [7, true],
      [code, 'true'],
      ['A'.repeat(65), true],
    ])
      expect((await decide(userCode, approve)).status).toBe(400)
    expect((await on.oauth('GET', '/oauth/device', { session })).status).toBe(400)
  })

  it('is locked after ten wrong ones, even under concurrency, and only for that user', async () => {
    const guesser = await on.signUp('guesser@b.co')
    const { user_code: right } = await begin()
    // Correct codes are not counted.
    for (let i = 0; i < 11; i++) expect((await look(right, guesser.session)).status).toBe(200)
    const guesses = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        i % 2 === 0
          ? look('BBBB-BBBB', guesser.session)
          : decide('not a code', true, guesser.session),
      ),
    )
    expect(guesses.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 404))
    const locked = await decide(right, true, guesser.session)
    expect([locked.status, locked.headers.get('retry-after')]).toEqual([
      429,
      expect.stringMatching(/^\d+$/),
    ])
    expect((await look(right)).status).toBe(200)
  })
})

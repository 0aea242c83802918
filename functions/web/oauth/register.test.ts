import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientRows } from '#shared/accounts/oauth/rows.ts'
import { authorization, callback, type OAuth, startOAuth } from '#tests/support/accounts/oauth.ts'

let on: OAuth

beforeAll(async () => {
  on = await startOAuth()
})
afterAll(() => on.close())

const refused = (error: string) => [400, { error, error_description: expect.any(String) }]

describe('registering', () => {
  it.each([
    ['https://app.example/cb', true],
    ['http://127.0.0.1/cb', true],
    ['http://[::1]:4000/cb', true],
    ['http://localhost:4000/cb', true],
    ['http://localhost/cb', true],
    ['cursor://anysphere.cursor-retrieval/oauth/callback', true],
    ['com.example.app:/cb', true],
    ['com.example.app:cb?a=b', true],
    ['http://localhost.evil.example/cb', false],
    ['http://localhost@evil.example/cb', false],
    ['http://LOCALHOST:4000/cb', false],
    ['http://127.1:4000/cb', false],
    ['http:localhost/cb', false],
    ['https:app.example/cb', false],
    ['cursor:', false],
    ['CURSOR://cb', false],
    ['cursor://user:pass@cb', false],
    ['cursor://cb#part', false],
    ['cursor://cb\\x', false],
    ['data:text/html,hi', false],
    ['file:///etc/passwd', false],
    ['blob:https://app.example/1', false],
    ['about:blank', false],
    ['vbscript:msgbox', false],
    ['JavaScript:alert(1)', false],
    ['chrome://settings', false],
    ['chrome-extension://abc/cb', false],
    ['moz-extension://abc/cb', false],
    ['view-source:https://app.example', false],
    ['ms-msdt:/id', false],
    ['search-ms:query=x', false],
    ['search:query=x', false],
    ['microsoft-edge:https://app.example', false],
    ['ws://app.example/cb', false],
    ['ftp://app.example/cb', false],
    ['mailto:a@b.co', false],
    ['//app.example/cb', false],
    ['http://app.example/cb', false],
    ['http://127.0.0.1.evil.example/cb', false],
    ['http://127.0.0.1@evil.example/cb', false],
    ['https://user:pass@app.example/cb', false],
    ['https://app.example/cb#part', false],
    ['javascript:alert(1)', false],
    ['https://a\\@b.example/cb', false],
    ['', false],
  ])('accepts %s: %s', async (uri, taken) => {
    const body = { redirect_uris: [uri] }
    const answer = await on.oauth('POST', '/oauth/register', { body })
    const shown = (await answer.json()) as object
    if (taken)
      expect([answer.status, shown]).toEqual([
        201,
        expect.objectContaining({ redirect_uris: [uri], token_endpoint_auth_method: 'none' }),
      ])
    else
      expect([answer.status, shown]).toEqual([
        400,
        { error: 'invalid_redirect_uri', error_description: expect.any(String) },
      ])
  })

  it.each([
    ['invalid_redirect_uri', { body: { redirect_uris: [7] } }],
    ['invalid_redirect_uri', { body: { redirect_uris: 'https://app.example/cb' } }],
    ['invalid_redirect_uri', { body: { redirect_uris: [null, callback] } }],
    ['invalid_redirect_uri', { body: { redirect_uris: Array(21).fill(callback) } }],
    ['invalid_client_metadata', { body: { client_name: 7, redirect_uris: [callback] } }],
    ['invalid_client_metadata', { body: { client_name: 'a'.repeat(101) } }],
    ['invalid_client_metadata', { body: { token_endpoint_auth_method: ['none'] } }],
    ['invalid_client_metadata', { body: [] }],
    ['invalid_client_metadata', { body: null }],
    ['invalid_client_metadata', { text: '{"client_name"' }],
    ['invalid_client_metadata', { text: 'a=b', headers: { 'content-type': 'text/plain' } }],
  ])('returns %s for %j', async (error, given) => {
    const answer = await on.oauth('POST', '/oauth/register', given)
    expect([answer.status, await answer.json()]).toEqual(refused(error))
  })

  it('rejects a program with a secret', async () => {
    const body = { redirect_uris: [callback], token_endpoint_auth_method: 'client_secret_basic' }
    const answer = await on.oauth('POST', '/oauth/register', { body })
    expect([answer.status, await answer.json()]).toEqual(refused('invalid_client_metadata'))
  })

  it('is stored for a week, and for half a year once a user has granted access', async () => {
    const { session } = await on.signUp('kept@b.co')
    const days = async (clientId: string) => {
      const row = await on.table.get(clientRows.key({ clientId }))
      return Math.round((Number(row?.expiresAt) - Date.now() / 1000) / 86_400)
    }
    const idle = await on.register()
    await on.authorize(session, authorization(idle, { redirect_uri: callback }))
    await on.post('/oauth/device_authorization', { client_id: idle })
    expect(await days(idle)).toBe(7)
    const { clientId } = await on.codeFor(session)
    expect(await days(clientId)).toBe(180)
    const [, codes] = await on.post('/oauth/device_authorization', { client_id: idle })
    const body = { userCode: codes.user_code, approve: true }
    expect((await on.oauth('POST', '/oauth/device', { session, body })).status).toBe(200)
    expect(await days(idle)).toBe(180)
  })
})

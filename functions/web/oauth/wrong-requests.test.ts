import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorization, callback, type OAuth, startOAuth } from '#tests/support/accounts/oauth.ts'

let on: OAuth
let session: string

beforeAll(async () => {
  on = await startOAuth()
  ;({ session } = await on.signUp('ada@b.co'))
})
afterAll(() => on.close())

describe('a malicious authorization request', () => {
  const wrong: [string, Record<string, string>][] = [
    ['its kind of answer', { response_type: 'token' }],
    ['its challenge', { code_challenge: 'short' }],
    ['its scope', { scope: 'root' }],
    ['its resource', { resource: 'https://evil.example/mcp' }],
    ['its state', { state: 'x'.repeat(1025) }],
  ]

  it.each(wrong)(
    'a malicious authorization request with an error in %s redirects no one to a registered site',
    async (_, more) => {
      const redirect_uri = 'https://phishing.example/sign-in'
      const clientId = await on.register({ redirect_uris: [redirect_uri] })
      for (const by of [session, undefined]) {
        const { answer, location } = await on.authorize(
          by,
          authorization(clientId, { redirect_uri, ...more }),
        )
        expect([answer.status, location]).toEqual([400, ''])
      }
    },
  )

  it.each(wrong)(
    'a malicious authorization request with an error in %s redirects no signed-out user to this machine',
    async (_, more) => {
      const clientId = await on.register()
      const request = authorization(clientId, { redirect_uri: callback, ...more })
      const { answer, location } = await on.authorize(undefined, request)
      expect([answer.status, location]).toEqual([400, ''])
    },
  )

  it('returns a page without text or addresses of the program', async () => {
    const redirect_uri = 'https://phishing.example/<b>'
    const registered = { client_name: 'Your bank', redirect_uris: [redirect_uri] }
    const clientId = await on.register(registered)
    const request = { redirect_uri, scope: '<script>', state: '"><img src=x>' }
    const search = new URLSearchParams(authorization(clientId, request)).toString()
    const answer = await on.oauth('GET', `/oauth/authorize?${search}`, {
      session,
      headers: { accept: 'text/html,application/xhtml+xml' },
    })
    const page = await answer.text()
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toMatch('text/html')
    expect(answer.headers.get('content-security-policy')).toMatch("default-src 'none'")
    expect(answer.headers.get('location')).toBeNull()
    expect(page).toContain('(invalid_scope)')
    expect(page).not.toMatch(/phishing|bank|script|href|src=/i)
  })
})

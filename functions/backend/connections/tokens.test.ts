import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { agentConnectionsOver, callTool } from '#tests/support/tools/agent-connections.ts'
import { agentWithKey } from '#tests/support/tools/broker.ts'
import {
  type AuthorizationServer,
  startAuthorizationServer,
  startProtectedServer,
} from '#tests/support/tools/sign-in-server.ts'

let accounts: Keys
let signIn: AuthorizationServer
let server: Awaited<ReturnType<typeof startProtectedServer>>
let platform: ReturnType<typeof agentConnectionsOver>
let protect: typeof server.played.before
let ada: { id: string; session: string }
let agent: { agentId: string; key: string }
let users = 0

beforeAll(async () => {
  accounts = await startKeys()
  signIn = await startAuthorizationServer()
  server = await startProtectedServer(signIn)
  protect = server.played.before
  platform = agentConnectionsOver(accounts.table, { allowed: [server.host, signIn.host] })
})
afterAll(async () => {
  await Promise.all([accounts.close(), signIn.close(), server.close()])
})
beforeEach(async () => {
  ada = await accounts.signUp(`ada${users++}@b.co`)
  agent = await agentWithKey(accounts.table, ada.id)
  signIn.played.before = undefined
  server.played.before = protect
  server.played.tools = { read: { readOnly: true } }
  const body = { name: 'notes', url: server.url }
  const created = await platform.ask('POST', `${agent.agentId}/connections`, ada.session, body)
  await signIn.signIn(platform.browser(ada.session), String(created.body['authorizeUrl']))
  await platform.allow(ada.session, agent.agentId, ['read'])
  platform.mails.length = 0
  signIn.events.length = 0
})

const secretsNow = async () =>
  (await platform.open({ userId: ada.id, agentId: agent.agentId }, 'notes')).secrets
const seen = () => platform.seen(ada.session, agent.agentId)

/** Returns the answers to a call as bytes, and to a list of the tools. */
async function everything(): Promise<string> {
  const headers = {
    authorization: `Bearer ${agent.key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const ask = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await platform.app.request('/connections/notes/mcp', {
      method: 'POST',
      headers,
      body,
    })
    return JSON.stringify([[...answer.headers], await answer.text()])
  }
  return `${await ask('tools/call', { name: 'read', arguments: {} })}${await ask('tools/list', {})}`
}

describe('the tokens of a connection', () => {
  it.each<[what: string, echo: (token: string) => unknown]>([
    ['in a text', (token) => `your token is ${token}`],
    ['in base64', (token) => Buffer.from(`Bearer ${token}`).toString('base64')],
    ['in hex', (token) => Buffer.from(token).toString('hex')],
    [
      'in a name of structured content',
      (token) => ({ content: [], structuredContent: { [token]: { at: token } } }),
    ],
  ])('are redacted if the server echoes them %s', async (_, echo) => {
    server.played.tools['read']!.call = (_input, request) =>
      echo(String(request.headers.get('authorization')).slice('Bearer '.length))
    const answer = await everything()
    const [access, refresh] = (await secretsNow()) as [string, string]
    expect(answer).toContain('"result')
    expect(answer).toContain('*'.repeat(8))
    for (const secret of [access, refresh])
      for (const form of [secret, Buffer.from(secret).toString('base64').slice(2, -4)])
        expect(answer).not.toContain(form)
  })

  it('turn an image that contains them into an error, because redaction breaks the image', async () => {
    server.played.tools['read']!.call = (_input, request) => {
      const data = Buffer.from(String(request.headers.get('authorization'))).toString('base64')
      return { content: [{ type: 'image', mimeType: 'image/png', data }] }
    }
    const answer = await everything()
    const [access] = (await secretsNow()) as [string]
    expect(answer).toContain('Invalid Base64')
    expect(answer).not.toContain(Buffer.from(access).toString('base64').slice(4, -4))
  })

  it.each<[what: string, answer: (token: string) => Response]>([
    [
      'an error of JSON-RPC',
      (token) =>
        Response.json({ jsonrpc: '2.0', id: 1, error: { code: -32_000, message: `no ${token}` } }),
    ],
    ['an error page', (token) => new Response(token, { status: 500, statusText: token })],
    [
      'a redirect',
      (token) => new Response(null, { status: 302, headers: { location: `/?t=${token}` } }),
    ],
    [
      'a scope',
      (token) =>
        new Response(null, {
          status: 403,
          headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${token}"` },
        }),
    ],
    [
      'escapes and several packets',
      (token) => {
        const escaped = [...token].map(
          (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
        )
        const json = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"${escaped.join('')}"}]}}`
        const chunks = [`data: ${json.slice(0, 70)}`, json.slice(70, 83), `${json.slice(83)}\n\n`]
        const body = new ReadableStream({
          pull(stream) {
            const chunk = chunks.shift()
            if (chunk === undefined) stream.close()
            else stream.enqueue(new TextEncoder().encode(chunk))
          },
        })
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      },
    ],
  ])('are redacted if the server echoes them in %s', async (_, answer) => {
    // The dialect is known before, as of a server that begins to do so.
    await everything()
    server.played.before = (request) =>
      answer(String(request.headers.get('authorization')).slice('Bearer '.length))
    const text = await everything()
    const { connection, requests } = await seen()
    const [access] = (await secretsNow()) as [string]
    expect(text).toContain('jsonrpc')
    for (const shown of [text, JSON.stringify([connection, requests, platform.mails])])
      expect(shown).not.toContain(access)
  })

  it('and the secret of the platform’s registration are redacted', async () => {
    const secretive = await startAuthorizationServer({
      settings: { clientAuthMethods: ['client_secret_basic'] },
    })
    const guarded = await startProtectedServer(secretive)
    const lines: unknown[] = []
    const written = vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line))
    try {
      const over = agentConnectionsOver(accounts.table, {
        allowed: [guarded.host, secretive.host],
      })
      const other = await agentWithKey(accounts.table, ada.id)
      const path = `${other.agentId}/connections`
      const body = { name: 'notes', url: guarded.url }
      const created = await over.ask('POST', path, ada.session, body)
      const authorizeUrl = new URL(String(created.body['authorizeUrl']))
      await secretive.signIn(over.browser(ada.session), authorizeUrl.href)
      await over.allow(ada.session, other.agentId, ['read'])
      const id = String(authorizeUrl.searchParams.get('client_id'))
      const secret = String((await secretive.provider.Client.find(id))?.clientSecret)
      guarded.played.tools['read']!.call = () => `your secret is ${secret}`
      const client = await over.connect(other.key)
      expect((await callTool(client, 'read')).text).toMatch(/^your secret is \*+$/)
      const protectedBefore = guarded.played.before
      guarded.played.before = () =>
        Response.json({ jsonrpc: '2.0', id: 1, error: { code: 1, message: `no ${secret}` } })
      const refused = await callTool(client, 'read')
      expect(refused).toEqual({ text: expect.stringContaining('no ***'), isError: true })
      guarded.played.before = protectedBefore
      secretive.played.before = (_, response) => {
        response.writeHead(400, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ error: 'x', error_description: secret }))
        return true
      }
      const [access] = (await over.open({ userId: ada.id, agentId: other.agentId }, 'notes'))
        .secrets
      await (await secretive.provider.AccessToken.find(access!))?.destroy()
      const failed = await callTool(client, 'read')
      const shown = [failed, await over.seen(ada.session, other.agentId), over.mails, lines]
      expect(lines.join('')).toContain('connections.call')
      expect(JSON.stringify(shown)).not.toContain(secret)
    } finally {
      written.mockRestore()
      await Promise.all([secretive.close(), guarded.close()])
    }
  })

  it('are renewed once if the server does not accept them, and the call is sent again', async () => {
    const [refused] = (await secretsNow()) as [string]
    await (await signIn.provider.AccessToken.find(refused))?.destroy()
    const client = await platform.connect(agent.key)
    expect(await callTool(client, 'read')).toMatchObject({ isError: false })
    expect(signIn.events).toEqual(['refresh_token'])
    expect((await seen()).requests).toMatchObject([{ tool: 'read', status: 200 }])
  })

  it('that the server no longer accepts sign the connection out, and its owner is told once by name', async () => {
    const client = await platform.connect(agent.key)
    server.played.before = () => new Response('token expired', { status: 401 })
    for (let i = 0; i < 2; i++)
      expect(JSON.parse((await callTool(client, 'read')).text)).toMatchObject({
        code: 'CONNECTION_SIGNED_OUT',
        error: expect.stringContaining('The connection notes is not signed in'),
      })
    expect(signIn.events.filter((event) => event === 'refresh_token')).toHaveLength(1)
    expect((await seen()).connection).toMatchObject({ state: 'signed-out' })
    expect(platform.mails).toMatchObject([{ subject: expect.stringContaining('notes') }])
    expect((await client.listTools()).tools).toEqual([])
  })
})

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
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
let other: AuthorizationServer
let server: Awaited<ReturnType<typeof startProtectedServer>>
let platform: ReturnType<typeof agentConnectionsOver>
let session: string
let agentId: string
let users = 0

beforeAll(async () => {
  accounts = await startKeys()
})
afterAll(() => accounts.close())

/** A connection whose server has asked for more scopes. */
beforeEach(async () => {
  signIn = await startAuthorizationServer()
  other = await startAuthorizationServer()
  server = await startProtectedServer(signIn)
  const allowed = [server.host, signIn.host, other.host]
  platform = agentConnectionsOver(accounts.table, { allowed })
  const ada = await accounts.signUp(`ada${users++}@b.co`)
  session = ada.session
  const agent = await agentWithKey(accounts.table, ada.id)
  agentId = agent.agentId
  const body = { name: 'notes', url: server.url }
  const created = await platform.ask('POST', `${agentId}/connections`, session, body)
  await signIn.signIn(platform.browser(session), String(created.body['authorizeUrl']))
  await platform.allow(session, agentId, ['read'])

  const { before } = server.played
  server.played.before = async (request) => {
    if (!(await request.clone().text()).includes('tools/call')) return before?.(request)
    const challenge = 'Bearer error="insufficient_scope", scope="tools files"'
    return new Response(null, { status: 403, headers: { 'www-authenticate': challenge } })
  }
  const client = await platform.connect(agent.key)
  await callTool(client, 'read').catch(() => {})
  await client.close()
  server.played.before = before
  return () => Promise.all([signIn.close(), other.close(), server.close()])
})

const authorize = () => platform.ask('POST', `${agentId}/connections/notes/authorize`, session)

it('a server that asks for more scopes gets a sign-in with them, which its owner is told', async () => {
  expect((await platform.seen(session, agentId)).connection).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('tools files'),
  })
  expect(platform.mails.map(({ subject }) => subject)).toEqual([
    'The connection notes of Ada has failed',
  ])
  const again = String((await authorize()).body['authorizeUrl'])
  expect(new URL(again).searchParams.get('scope')).toBe('tools offline_access files')
  await signIn.signIn(platform.browser(session), again)
  expect((await authorize()).body).not.toHaveProperty('authorizeUrl')
  expect(signIn.events).not.toContain('revoked')
})

it('a sign-in at another authorization server revokes the tokens of the earlier one', async () => {
  server.metadata.authorization_servers = [other.issuer]
  server.played.before = (request) =>
    request.url === server.document ? Response.json(server.metadata) : undefined
  const again = String((await authorize()).body['authorizeUrl'])
  await other.signIn(platform.browser(session), again)
  expect((await platform.seen(session, agentId)).connection).toMatchObject({ state: 'connected' })
  expect(signIn.events).toContain('revoked')
  expect(other.events).not.toContain('revoked')
})

import { expect, it } from 'vitest'
import { startKeys } from '#tests/support/accounts/keys.ts'
import { agentConnectionsOver, callTool } from '#tests/support/tools/agent-connections.ts'
import { agentWithKey } from '#tests/support/tools/broker.ts'
import {
  startAuthorizationServer,
  startProtectedServer,
} from '#tests/support/tools/sign-in-server.ts'

it('a server that asks for more scopes gets a sign-in with them, which its owner is told', async () => {
  const accounts = await startKeys()
  const signIn = await startAuthorizationServer()
  const server = await startProtectedServer(signIn)
  const platform = agentConnectionsOver(accounts.table, { allowed: [server.host, signIn.host] })
  const { session, id } = await accounts.signUp('ada@b.co')
  const { agentId, key } = await agentWithKey(accounts.table, id)
  const path = `${agentId}/connections`
  const created = await platform.ask('POST', path, session, { name: 'notes', url: server.url })
  await signIn.signIn(platform.browser(session), String(created.body['authorizeUrl']))
  await platform.allow(session, agentId, ['read'])

  const { before } = server.played
  server.played.before = async (request) => {
    if (!(await request.clone().text()).includes('tools/call')) return before?.(request)
    const challenge = 'Bearer error="insufficient_scope", scope="tools files"'
    return new Response(null, { status: 403, headers: { 'www-authenticate': challenge } })
  }
  const client = await platform.connect(key)
  await callTool(client, 'read').catch(() => {})
  await client.close()
  server.played.before = before
  expect((await platform.seen(session, agentId)).connection).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('tools files'),
  })
  expect(platform.mails.map(({ subject }) => subject)).toEqual([
    'The connection notes of Ada has failed',
  ])

  const authorize = () => platform.ask('POST', `${path}/notes/authorize`, session)
  const again = String((await authorize()).body['authorizeUrl'])
  expect(new URL(again).searchParams.get('scope')).toBe('tools offline_access files')
  await signIn.signIn(platform.browser(session), again)
  expect((await authorize()).body).not.toHaveProperty('authorizeUrl')
  await Promise.all([accounts.close(), signIn.close(), server.close()])
})

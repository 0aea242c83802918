import { Hono } from 'hono'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createApp } from '#shared/http/app.ts'
import { clientAddress } from '#shared/http/client-address.ts'
import { events, json, startFailingServer } from '#tests/support/http/failing-server.ts'
import { routes } from '../mcp.ts'

const originSecret = 'the secret of the origin'
const agentId = `agt_${'0'.repeat(26)}`
const session = json(200, { user: { id: 'usr_1' } }, { 'x-oauth-scopes': 'read chat' })

afterEach(() => void vi.useRealTimers())

/** Starts the group with an API that returns these responses. */
async function over(...replies: Parameters<typeof startFailingServer>) {
  const api = await startFailingServer(...replies)
  onTestFinished(() => api[Symbol.asyncDispose]())
  const services = { webUrl: api.url, originSecret }
  const settings = { WEB_URL: api.url, ORIGIN_SECRET: originSecret }
  const app = createApp({ surface: 'web', name: 'web-mcp', routes, services, settings })
  const from = { requestContext: { http: { sourceIp: '203.0.113.7' } } }

  function send(message: object, headers: Record<string, string> = {}) {
    const init = {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: 'Bearer sk_test',
        ...headers,
      },
    }
    return app.request('/mcp', init, from)
  }

  /** Calls a tool by the protocol, starting with `initialize`. */
  async function use(name: string, args: object) {
    const answer = await send({ method: 'tools/call', params: { name, arguments: args } })
    const text = await answer.text()
    const [, data = text] = /^data: (.+)$/m.exec(text) ?? []
    return (JSON.parse(data) as { result: Record<string, unknown> }).result
  }
  return { api, send, use }
}

const list = { method: 'tools/list', params: {} }
const chat = { agent: agentId, message: 'How are you?' }

describe('a message to an agent', () => {
  it('a message to an agent that still runs after fifty seconds is reported, with the tool that returns its reply', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { promise: isAsked, resolve: silent } = Promise.withResolvers<unknown>()
    const on = await over(session, silent)
    const answer = on.use('send_message', chat)
    let settled = false
    void answer.finally(() => (settled = true))
    await isAsked
    vi.advanceTimersByTime(49_999)
    await new Promise(setImmediate)
    expect(settled).toBe(false)
    vi.advanceTimersByTime(1)
    expect(await answer).toMatchObject({ structuredContent: { agentId, stillAtWork: true } })
    expect(JSON.parse(on.api.seen[1]?.body ?? '')).toMatchObject({ agentId, stream: true })
  })

  it('returns the end of its stream, or its failure', async () => {
    const turn = 'event: delta\ndata: {"content":"We"}\n\nevent: done\ndata: {"reply":"Well"}\n\n'
    const well = await over(session, events(turn))
    expect(await well.use('send_message', chat)).toMatchObject({
      structuredContent: { reply: 'Well' },
    })
    const failed = 'event: error\ndata: {"error":"No model","code":"MODEL_NOT_FOUND"}\n\n'
    const ill = await over(session, events(failed))
    expect(await ill.use('send_message', chat)).toMatchObject({
      isError: true,
      content: [{ text: 'No model (MODEL_NOT_FOUND)' }],
    })
    // An incomplete answer is not returned, and internal errors are hidden from callers.
    const broken = await over(session, events('event: delta\ndata: {"content":"We"}\n\n', true))
    expect(await broken.use('send_message', chat)).toMatchObject({
      isError: true,
      content: [{ text: 'The platform could not be reached' }],
    })
  })
})

it.each(['.', '..'])('a task with the id %j calls no other route', async (task) => {
  const scopes = { 'x-oauth-scopes': 'read chat write' }
  const on = await over(json(200, { user: { id: 'usr_1' } }, scopes))
  expect(await on.use('manage_schedules', { action: 'run', task })).toMatchObject({
    isError: true,
    content: [{ text: 'task must be the id of a task' }],
  })
  expect(on.api.seen).toHaveLength(1)
})

it('acts as its caller: key and address are forwarded, with a proof of the address', async () => {
  const on = await over(session, json(200, { agents: [] }))
  await on.use('list_agents', {})
  expect(on.api.seen.map(({ url }) => url)).toEqual(['/api/auth/session', '/api/agents'])
  const echo = new Hono().get('/', async (c) => c.text(await clientAddress(c, originSecret)))
  for (const { headers } of on.api.seen) {
    expect(headers.authorization).toBe('Bearer sk_test')
    const named = { ...headers } as Record<string, string>
    expect(await (await echo.request('/', { headers: named })).text()).toBe('203.0.113.7')
  }
})

describe('a request', () => {
  it('a request from a page of another site is rejected before any call', async () => {
    const on = await over(session)
    for (const origin of ['https://evil.example', 'null', `${on.api.url}.evil.example`]) {
      const { status } = await on.send(list, { origin })
      expect([origin, status]).toEqual([origin, 403])
    }
    expect(on.api.seen).toEqual([])
    expect((await on.send(list, { origin: on.api.url })).status).toBe(200)
  })

  it('a request with an invalid key gets the URL of the sign-in and the reason', async () => {
    const on = await over(json(200, { user: null }))
    const metadata = `resource_metadata="${on.api.url}/.well-known/oauth-protected-resource/mcp"`
    const challenge = async (headers: Record<string, string>) => {
      const answer = await on.send(list, headers)
      return [answer.status, answer.headers.get('www-authenticate')]
    }
    expect(await challenge({})).toEqual([401, `Bearer ${metadata}, error="invalid_token"`])
    expect(await challenge({ authorization: '' })).toEqual([401, `Bearer ${metadata}`])
  })

  it('gets the platform’s overload or unavailability as an error', async () => {
    const limited = await over(json(429, { error: 'slower' }, { 'retry-after': '7' }))
    const slower = await limited.send(list)
    expect([slower.status, slower.headers.get('retry-after')]).toEqual([429, '7'])
    const broken = await over(json(500, { error: 'oh' }))
    expect((await broken.send(list)).status).toBe(502)
  })
})

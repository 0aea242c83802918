import type { ServerResponse } from 'node:http'
import { afterEach, expect, it, vi } from 'vitest'
import { ToolTimeout, ToolRefusal } from '../../../shared/tools/mcp/tool.ts'
import {
  events,
  hangUp,
  json,
  startFailingServer,
} from '../../../tests/support/http/failing-server.ts'
import { askAs } from './ask.ts'

afterEach(() => void vi.useRealTimers())

async function over(...replies: Parameters<typeof startFailingServer>) {
  const api = await startFailingServer(...replies)
  const ask = askAs({ baseUrl: api.url, apiKey: () => Promise.resolve('sk_test') })
  return { api, ask, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

const chat = { method: 'POST', path: '/api/chat', body: { message: 'Hi' }, waitMs: 50_000 } as const

it('waits for an agent’s answer no longer than the timeout', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { promise: isAsked, resolve: silent } = Promise.withResolvers<unknown>()
  await using on = await over(silent)
  const answer = on.ask(chat).catch((error: unknown) => error)
  await isAsked
  vi.advanceTimersByTime(49_999)
  const nothing = new Promise<void>((resolve) => setImmediate(resolve))
  expect(await Promise.race([answer, nothing])).toBeUndefined()
  vi.advanceTimersByTime(1)
  expect(await answer).toBeInstanceOf(ToolTimeout)
})

it('returns the agent’s final answer', async () => {
  await using on = await over(
    events('event: delta\ndata: {"content":"H"}\n\nevent: done\ndata: {"reply":"Hello"}\n\n'),
  )
  expect(await on.ask(chat)).toEqual({ reply: 'Hello' })
})

it('creates resources once, however often it retries', async () => {
  const busy = json(503, {}, { 'retry-after-ms': '1' })
  await using on = await over(busy, busy, json(201, { agent: { id: 'agt_1' } }))
  const request = { method: 'POST', path: '/api/agents/provision', body: { name: 'a' } } as const
  expect(await on.ask(request)).toEqual({ agent: { id: 'agt_1' } })
  const keys = on.api.seen.map(({ headers }) => headers['idempotency-key'])
  expect(keys).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), keys[0], keys[0]])
})

it('reports a rejection with the API’s message, and a failure as a failure', async () => {
  const full = json(402, { error: 'No room', code: 'AGENT_LIMIT_REACHED' })
  await using refusing = await over(full)
  const list = { method: 'GET', path: '/api/agents' } as const
  await expect(refusing.ask(list)).rejects.toThrow(new ToolRefusal('No room (AGENT_LIMIT_REACHED)'))
  const signedOut = askAs({
    baseUrl: refusing.api.url,
    apiKey: () => Promise.reject(new Error('Not signed in')),
  })
  await expect(signedOut(list)).rejects.toThrow(new ToolRefusal('Not signed in'))
  await using gone = await over(hangUp)
  const failure = await gone.ask(chat).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Error)
  expect(failure).not.toBeInstanceOf(ToolRefusal)
})

it('sends and returns the content of a file, and refuses a link to a large one', async () => {
  const written = json(200, { path: 'a', size: 3 })
  const file = (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('tea')
  const link = (response: ServerResponse) =>
    void response.writeHead(307, { location: 'http://127.0.0.1/large' }).end()
  await using on = await over(written, file, link)
  const path = '/api/agents/agt_1/files/content'
  const query = { path: 'a' }
  expect(await on.ask({ method: 'PUT', path, query, text: 'tea' })).toEqual({ path: 'a', size: 3 })
  expect(on.api.seen[0]).toMatchObject({ body: 'tea', url: `${path}?path=a` })
  expect(on.api.seen[0]?.headers['content-type']).toBe('application/octet-stream')
  expect(await on.ask({ method: 'GET', path, query })).toEqual({ text: 'tea' })
  await expect(on.ask({ method: 'GET', path, query })).rejects.toThrow('larger than 4 MiB')
})

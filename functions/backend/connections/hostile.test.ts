import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { agentConnectionsOver, callTool } from '#tests/support/tools/agent-connections.ts'
import { agentWithKey, trust } from '#tests/support/tools/broker.ts'
import { startMcpServer } from '#tests/support/tools/mcp-server.ts'

let accounts: Keys
let server: Awaited<ReturnType<typeof startMcpServer>>
let platform: ReturnType<typeof agentConnectionsOver>
let ada: { id: string; session: string }
let agent: { agentId: string; key: string }
let users = 0

beforeAll(async () => {
  accounts = await startKeys()
  server = await startMcpServer({ era: 'both', tools: {} })
  trust(server.cert)
  platform = agentConnectionsOver(accounts.table, { allowed: [server.host] })
})
afterAll(async () => {
  vi.useRealTimers()
  await Promise.all([accounts.close(), server.close()])
})
beforeEach(async () => {
  ada = await accounts.signUp(`ada${users++}@b.co`)
  agent = await agentWithKey(accounts.table, ada.id)
  server.played.before = undefined
  server.played.tools = { read: { call: () => 'page' } }
  await platform.keep(ada.session, agent.agentId, server.url, ['read'])
  server.seen.length = 0
  platform.mails.length = 0
})

const result = (text: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }] } })

/** Calls the tool. @returns the error for the agent */
async function failure() {
  const { text, isError } = await callTool(await platform.connect(agent.key), 'read')
  expect(isError).toBe(true)
  return JSON.parse(text) as { error: string; code: string }
}

it('a stream that sends something for ever ends after 60 s', async () => {
  const client = await platform.connect(agent.key)
  await callTool(client, 'read')
  let isOpen = false
  const open: ReadableStreamDefaultController[] = []
  const send = (text: string) => open[0]?.enqueue(new TextEncoder().encode(text))
  server.played.before = () => {
    const body = new ReadableStream({
      start: (stream) => {
        open.push(stream)
        send(': still here\n\n')
        isOpen = true
      },
      cancel: () => void (isOpen = false),
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const pending = callTool(client, 'read')
    while (!isOpen) await setImmediate()
    for (let seconds = 0; seconds < 59; seconds++) {
      send(': still here\n\n')
      vi.advanceTimersByTime(1000)
      await setImmediate()
    }
    expect(JSON.parse((await pending).text)).toMatchObject({ code: 'CONNECTION_TIMEOUT' })
    // The platform closes the connection.
    while (isOpen) await setImmediate()
  } finally {
    vi.useRealTimers()
  }
})

it('a small answer that unpacks to gigabytes is not unpacked', async () => {
  await failsFor(
    () =>
      new Response(gzipSync(Buffer.alloc(50_000_000)), {
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      }),
  )
  const { headers } = server.seen.at(-1)!
  expect(headers.get('accept-encoding')).toBe('identity')
})

async function failsFor(answer: () => Response) {
  const client = await platform.connect(agent.key)
  await callTool(client, 'read')
  server.played.before = answer
  expect(await failure()).toMatchObject({ code: 'CONNECTION_UNREACHABLE' })
}

it.each([
  ['5 MB', 5_000_000, true],
  ['5 MB and a byte', 5_000_001, false],
])('an answer of %s: %i bytes', async (_, bytes, isTaken) => {
  const client = await platform.connect(agent.key)
  await callTool(client, 'read')
  const frame = result('').length
  server.played.before = () =>
    new Response(result('x'.repeat(bytes - frame)), {
      headers: { 'content-type': 'application/json' },
    })
  const { text, isError } = await callTool(client, 'read')
  expect(isError).toBe(!isTaken)
  if (isTaken) expect(text).toHaveLength(bytes - frame)
  else expect(text).toContain('more than 5000000 bytes')
})

it('an answer of a million messages is not checked one by one', async () => {
  const client = await platform.connect(agent.key)
  await callTool(client, 'read')
  server.played.before = () =>
    new Response(`[${'0,'.repeat(1_000_000)}${result('page')}]`, {
      headers: { 'content-type': 'application/json' },
    })
  const { text, isError } = await callTool(client, 'read')
  expect([isError, text]).toEqual([true, expect.stringContaining('too many messages')])
})

it('a server’s texts are in no header of a later request', async () => {
  server.played.era = 'sessions'
  const { played } = server
  played.before = (request) => {
    const session = request.headers.get('mcp-session-id')
    if (session !== null) return undefined
    return new Response(result('hello'), {
      headers: { 'content-type': 'application/json', 'mcp-session-id': 'a b\tc' },
    })
  }
  await failure()
  const sent = JSON.stringify(server.seen.map(({ headers }) => Object.fromEntries(headers)))
  expect(sent).not.toContain('a b')
  played.era = 'both'
})

it('an owner is told once, by name, that a server is gone, and the server is used again when it is back', async () => {
  const gone = await startMcpServer({ era: 'both', tools: { read: {} } })
  trust(gone.cert)
  const over = agentConnectionsOver(accounts.table, { allowed: [gone.host] })
  const other = await agentWithKey(accounts.table, ada.id)
  await over.keep(ada.session, other.agentId, gone.url, ['read'])
  const client = await over.connect(other.key)
  expect(await callTool(client, 'read')).toMatchObject({ isError: false })
  await gone.close()
  for (let i = 0; i < 3; i++)
    expect(JSON.parse((await callTool(client, 'read')).text)).toEqual({
      error: 'The server could not be reached',
      code: 'CONNECTION_UNREACHABLE',
    })
  expect((await over.seen(ada.session, other.agentId)).connection).toMatchObject({
    state: 'failed',
    reason: 'The server could not be reached.',
  })
  expect(over.mails).toMatchObject([
    { subject: expect.stringMatching(/^The connection notes of .* has failed$/) },
  ])
})

import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { eventually } from '#tests/support/clock/eventually.ts'
import { decideAndCarryOut } from '#tests/support/permits/decide.ts'
import { setPolicyOf } from '#tests/support/permits/policy.ts'
import { agentConnectionsOver, callTool } from '#tests/support/tools/agent-connections.ts'
import { agentWithKey, encryptionKey, trust } from '#tests/support/tools/broker.ts'
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
  await Promise.all([accounts.close(), server.close()])
})
beforeEach(async () => {
  ada = await accounts.signUp(`ada${users++}@b.co`)
  agent = await agentWithKey(accounts.table, ada.id)
  server.played.tools = { write: { call: () => 'written' } }
  await platform.keep(ada.session, agent.agentId, server.url, ['write'])
  server.seen.length = 0
})

const calls = () => server.methods().filter((method) => method === 'tools/call').length

/** Sends calls to tools that take long, and lets time pass after the server has received them. */
async function callLong(count: number, ms: number, key = agent.key) {
  const ends: (() => void)[] = []
  server.played.tools['write']!.call = () =>
    new Promise((resolve) => void ends.push(() => resolve('written')))
  const clients = await Promise.all(Array.from({ length: count }, () => platform.connect(key)))
  const before = calls()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const pending = clients.map((client) => callTool(client, 'write'))
    while (calls() < before + count) await setImmediate()
    vi.advanceTimersByTime(ms)
    return { pending, ends }
  } finally {
    vi.useRealTimers()
  }
}

it('a server that does not respond for 60 s makes the call fail, and the record ends', async () => {
  const { pending, ends } = await callLong(1, 59_000)
  const { text, isError } = await pending[0]!
  expect([JSON.parse(text), isError]).toEqual([
    { error: 'The server did not respond in time', code: 'CONNECTION_TIMEOUT' },
    true,
  ])
  const { requests, connection } = await platform.seen(ada.session, agent.agentId)
  expect(requests).toMatchObject([{ tool: 'write', decision: 'allow', status: null }])
  // One slow call says nothing about the server.
  expect(connection).toMatchObject({ state: 'connected' })
  for (const end of ends) end()
})

it('an owner’s agents have at most ten long calls at once, and a further one is told to wait', async () => {
  const { pending, ends } = await callLong(12, 5000)
  const refused: string[] = []
  for (const one of pending) void one.then(({ text, isError }) => isError && refused.push(text))
  await eventually(() => expect(refused).toHaveLength(2))
  for (const text of refused) expect(JSON.parse(text)).toMatchObject({ code: 'BROKER_BUSY' })
  for (const end of ends) end()
  const results = await Promise.all(pending)
  expect(results.filter(({ text }) => text === 'written')).toHaveLength(10)
  server.played.tools['write']!.call = () => 'written'
  expect(await callTool(await platform.connect(agent.key), 'write')).toMatchObject({
    text: 'written',
  })
})

it('an approved call whose process is killed is sent at most once, and its approval says done or perhaps done', async () => {
  const owner = { userId: ada.id, agentId: agent.agentId }
  await setPolicyOf(accounts.table, owner, { preset: 'guarded', rules: [] })
  const client = await platform.connect(agent.key)
  const states = new Set<string>()
  for (let step = 0; ; step++) {
    server.seen.length = 0
    const { text } = await callTool(client, 'write', { step })
    const decided = await decideAndCarryOut(accounts.table, {
      userId: ada.id,
      approvalId: (JSON.parse(text) as { approvalId: string }).approvalId,
      decision: 'approve',
      settings: { WALLET_ENCRYPTION_KEY: encryptionKey, FETCH_ALLOW_HOSTS: server.host },
      death: { calls: Math.floor(step / 2), isLastCarriedOut: step % 2 === 1 },
    })
    const { state, result } = await decided.later()
    await decided.again()
    states.add(state)
    if (state === 'done') expect(calls()).toBe(1)
    else {
      expect(calls()).toBeLessThanOrEqual(1)
      expect([state, result]).toEqual([
        'failed',
        { error: expect.stringContaining('may have been done') },
      ])
    }
    if (!decided.isKilled) break
  }
  expect([...states].toSorted()).toEqual(['done', 'failed'])
})

import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askFor } from '../../agent/gateway/testing/played-bus.ts'
import { say, Upstream } from '../../agent/gateway/testing/upstream.ts'
import { eventually } from '../support/clock/eventually.ts'
import { call, type TestUser } from '../support/http/client.ts'
import { startTlsServer } from '../support/http/tls-server.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'

const value = 'a-credential-that-no-agent-reads'

/** Calls the tool that a prompt describes in JSON, and then answers. Other prompts get an answer alone. */
const model = await Upstream.start()

let stack: OwnStack
let owner: TestUser
let agentId: string
let server: Awaited<ReturnType<typeof startTlsServer>>
let host: string
/** The requests that the host received. */
const observed: IncomingMessage[] = []

model.reply = (response, { body: { messages } }) => {
  const [last] = messages.slice(-1)
  if (last?.role === 'user' && last.content.startsWith('{'))
    return askFor(response, { name: 'call_service', given: JSON.parse(last.content), id: 'call_1' })
  return say(response, last?.role === 'tool' ? last.content : 'Noted.')
}

const web = (path: string, body?: unknown, method?: string) =>
  call(`${stack.now().web}${path}`, {
    headers: owner.session,
    body,
    ...(method !== undefined && { method }),
  })

beforeAll(async () => {
  server = await startTlsServer((request, response) => {
    observed.push(request)
    response.writeHead(201).end('{"order":"tea"}')
  })
  host = `localhost:${server.port}`
  stack = await startOwnStack({
    AI_BASE_URL: model.baseUrl,
    AI_API_KEY: 'key-of-the-model',
    FETCH_ALLOW_HOSTS: host,
    NODE_EXTRA_CA_CERTS: server.certFile,
  })
  owner = await stack.newSubscriber()
  agentId = await stack.runningAgent(owner)
  const stored = { name: 'shop', hosts: [host], header: 'authorization: Bearer {value}', value }
  expect((await web(`/api/agents/${agentId}/broker-credentials`, stored)).status).toBe(201)
  const policy = { preset: 'guarded', rules: [] }
  expect((await web(`/api/agents/${agentId}/policy`, policy, 'PUT')).status).toBe(200)
  await web(`/api/agents/${agentId}/config`, { config: { mcp: true } }, 'PUT')
  await stack.lifecycle(owner, agentId, 'restart')
  await stack.untilStatus(owner, agentId, 'running')
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await server.close()
  await model[Symbol.asyncDispose]()
})

it('an agent asks before it orders, and gets the response in its next turn of the same conversation', async () => {
  const given = { service: 'shop', host, method: 'POST', path: '/orders', body: '{"tea":1}' }
  const about = { agentId, topic: 'shopping' }
  const turn = await stack.chat(owner, { ...about, message: JSON.stringify(given) })
  expect(turn.body.reply).toContain('"state":"pending"')
  expect(observed).toEqual([])
  const { approvals } = (await web('/api/approvals?state=pending')).body as {
    approvals: { id: string; summary: string }[]
  }
  const [approval, ...others] = approvals
  expect([approval?.summary, others]).toEqual([expect.stringContaining(host), []])
  expect(turn.body.reply).toContain(approval?.id)
  const decided = await web(`/api/approvals/${approval?.id}`, {
    decision: 'approve',
    note: 'Enjoy.',
  })
  expect([decided.status, decided.body.state]).toEqual([200, 'approved'])
  await eventually(async () => {
    const { body } = await web(`/api/approvals/${approval?.id}`)
    expect(body).toMatchObject({
      state: 'done',
      result: { status: 201, body: '{"order":"tea"}' },
    })
    const { messages } = (await web(`/api/chat?agentId=${agentId}&topic=shopping`)).body as {
      messages: { sender: string; content: string }[]
    }
    expect(messages.slice(2)).toMatchObject([
      {
        sender: 'user',
        content: expect.stringMatching(/carried out[\s\S]*Enjoy\.[\s\S]*"order":"tea"/),
      },
      { sender: 'agent', content: 'Noted.' },
    ])
  })
  expect(observed).toMatchObject([
    {
      method: 'POST',
      url: '/orders',
      headers: { authorization: `Bearer ${value}`, 'idempotency-key': approval?.id },
    },
  ])
  // The agent's own memory of the conversation has the turn, too.
  const calls = model.calls.filter(({ body }) =>
    JSON.stringify(body).includes(`approval ${approval?.id}`),
  )
  expect(calls).toHaveLength(1)
})

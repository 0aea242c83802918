import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { eventually } from '#tests/support/clock/eventually.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { webhookEndpoints } from '#tests/support/tools/webhook-endpoints.ts'
import { startWebhook, type Webhook } from '#tests/support/tools/webhook-receiver.ts'
import { beginStream, say, sayChunk, Upstream } from '../../../agent/gateway/testing/upstream.ts'
import { routes as chatRoutes } from '../chat.ts'
import { type Services as RunServices, routes } from '../runs.ts'

let accounts: Accounts
let models: Upstream
let hook: Webhook
let hooks: ReturnType<typeof webhookEndpoints>
let call: ReturnType<typeof callerOf<RunServices>>
let session: string
let agent: Agent
let stopped: Agent
let users = 0

beforeAll(async () => {
  accounts = await startAccounts()
  models = await Upstream.start()
})
afterAll(() => Promise.all([accounts.close(), models[Symbol.asyncDispose]()]))
beforeEach(async () => {
  const { table } = accounts
  hook = await startWebhook()
  hooks = webhookEndpoints(table)
  const services = { table, queues: hooks.ctx.queues, config: loadConfig({}), encryptionKey }
  call = callerOf<RunServices>({ routes: [...routes, ...chatRoutes] }, services)
  const user = await accounts.signUp(`told${users++}@b.co`)
  session = user.session
  await hooks.create(session, hook.url, ['run.finished', 'run.failed'])
  const address = { host: '127.0.0.1', port: Number(new URL(models.baseUrl).port) }
  agent = await putAgent(table, user.id, { address })
  stopped = await putAgent(table, user.id, { status: 'stopped', desired: 'stopped' })
  return () => hook.close()
})

async function ask(method: string, path: string, body?: unknown) {
  const answer = await call(method, path, { session, ...(body !== undefined && { body }) })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

/** Returns what was posted after the queue was emptied, without a tick. */
async function told() {
  await hooks.runSent()
  return hook.posted.map(({ text }) => JSON.parse(text) as { type: string; data: object })
}

const runs = () => platformOver(call, { session }).runs.list()

it('a finished turn sends an event at once, under its name in the list of runs', async () => {
  models.reply = (response) => say(response, 'Hello.')
  expect((await ask('POST', '/api/chat', { message: 'hi', agentId: agent.id })).status).toBe(200)
  const [run] = await runs()
  const end = { runId: run?.id, kind: 'turn', state: 'finished', error: null, agentId: agent.id }
  expect(await told()).toMatchObject([{ type: 'run.finished', data: end }])
})

it('failed and cancelled turns send events of their own types', async () => {
  models.reply = (response) => void response.writeHead(500).end()
  expect((await ask('POST', '/api/chat', { message: 'hi', agentId: agent.id })).status).toBe(502)
  models.reply = (response) => {
    beginStream(response)
    sayChunk(response, 'I begin')
  }
  const turn = ask('POST', '/api/chat', { message: 'hi', agentId: agent.id })
  const active = await eventually(async () => {
    const found = (await runs()).find(({ state }) => state === 'active')
    expect(found).toBeDefined()
    return found!
  })
  const cancel = await ask('POST', `/api/runs/${active.id}/cancel`, { reason: 'enough' })
  expect(cancel.status).toBe(202)
  expect((await turn).status).toBe(409)
  expect(await told()).toMatchObject([
    { type: 'run.failed', data: { kind: 'turn', state: 'failed', agentId: agent.id } },
    { type: 'run.failed', data: { runId: active.id, state: 'cancelled', agentId: agent.id } },
  ])
})

it('a swarm sends one event when all of its members have ended', async () => {
  models.reply = (response) => say(response, 'My part.')
  const { body } = await ask('POST', '/api/swarms', {
    name: 'Team',
    agents: [agent.id, stopped.id],
  })
  expect((await ask('POST', `/api/swarms/${String(body.id)}/run`, { prompt: 'go' })).status).toBe(
    200,
  )
  const [run] = await runs()
  const events = await told()
  expect(events).toMatchObject([
    {
      type: 'run.finished',
      data: {
        runId: run?.id,
        kind: 'swarm',
        swarmId: body.id,
        results: [
          { agentId: agent.id, error: null },
          { agentId: stopped.id, error: expect.any(String) },
        ],
      },
    },
  ])
  expect(JSON.stringify(events)).not.toContain('My part.')
})

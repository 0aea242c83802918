import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wakeAgent } from '#shared/agents/fleet/activity/wake.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { converseWhole } from '#shared/conversations/chat/converse.ts'
import { lastTurns } from '#shared/conversations/runs/turns.ts'
import { executeRun } from '#shared/conversations/scheduled-tasks/runs/execute.ts'
import { type RunRef, taskRuns } from '#shared/conversations/scheduled-tasks/runs/topic.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { newId } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { keyHolder, solo } from '#tests/support/ai/callers.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { allEvents, readEvents } from '#tests/support/http/event-stream.ts'
import { until } from '../../../agent/gateway/testing/gateway.ts'
import { beginStream, say, sayChunk, Upstream } from '../../../agent/gateway/testing/upstream.ts'
import { routes as chatRoutes } from '../chat.ts'
import { type Services as RunServices, routes } from '../runs.ts'

let accounts: Accounts
let gateway: Upstream
let call: ReturnType<typeof callerOf<RunServices>>
let users = 0

/** The runs that were sent to the job. */
const sent: RunRef[] = []
const queues: Queues = {
  send: async (_, body) => void sent.push(taskRuns.schema().parse(body)),
  sendAll: async (_, bodies) => bodies.forEach((body) => sent.push(taskRuns.schema().parse(body))),
}

beforeAll(async () => {
  accounts = await startAccounts()
  gateway = await Upstream.start()
  const { table } = accounts
  const services = { table, queues, config: loadConfig({}), encryptionKey }
  call = callerOf<RunServices>({ routes: [...routes, ...chatRoutes] }, services)
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await accounts.close()
})

interface World {
  id: string
  session: string
  agent: Agent
}

async function newWorld(): Promise<World> {
  const user = await accounts.signUp(`runs${++users}@b.co`)
  const port = Number(new URL(gateway.baseUrl).port)
  const agent = await putAgent(accounts.table, user.id, { address: { host: '127.0.0.1', port } })
  return { ...user, agent }
}

async function ask(method: string, path: string, { session }: { session: string }, body?: unknown) {
  const answer = await call(method, path, { session, ...(body !== undefined && { body }) })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function runsOf(user: World, query = ''): Promise<Record<string, unknown>[]> {
  return (await ask('GET', `/api/runs${query}`, user)).body.runs as Record<string, unknown>[]
}

const cancel = (user: World, id: string, body?: object) =>
  ask('POST', `/api/runs/${id}/cancel`, user, body)

/** Makes the agent send half a sentence and then nothing. `closed` resolves when its connection is closed. */
function beginsToSpeak(): { closed: Promise<void> } {
  const closed = Promise.withResolvers<void>()
  gateway.reply = async (response) => {
    beginStream(response)
    sayChunk(response, 'As I was ')
    await once(response, 'close')
    closed.resolve()
  }
  return { closed: closed.promise }
}

const chat = (user: World, body: object) =>
  call('POST', '/api/chat', { session: user.session, body: { message: 'Hi', ...body } })

async function lastMessage(user: World): Promise<Record<string, unknown> | undefined> {
  const { body } = await ask('GET', '/api/chat?limit=1', user)
  return (body.messages as Record<string, unknown>[])[0]
}

/** Handles the sent runs, as the job does. */
async function carryOut(): Promise<void> {
  const { table } = accounts
  const ctx = { table, queues, log: createLog(), config: loadConfig({}), encryptionKey }
  for (const run of sent.splice(0))
    await executeRun(
      {
        ...ctx,
        wake: (agent) => wakeAgent(ctx, { agent }),
        async ask({ prompt: message, ...turn }) {
          const { signal } = new AbortController()
          const about = { ...turn, requestId: 'req_x', signal, platform: 'schedule' as const }
          const { agentId, topic } = turn
          const request = { message, agentId, topic, stream: false }
          const { reply, usage } = await converseWhole({ ...ctx, ...about }, request)
          return { reply, tokens: usage?.total_tokens ?? null }
        },
      },
      run,
    )
}

async function newTask({ agent, ...user }: World): Promise<string> {
  const task = { name: 'Brief', cronSchedule: '0 0 1 1 *', prompt: 'Well?', agentId: agent.id }
  return String((await ask('POST', '/api/scheduled-tasks', user, task)).body.id)
}

describe('cancelling ends', () => {
  it('a streamed turn at any point: its connection is closed, and its text is stored with the reason', async () => {
    const ada = await newWorld()
    const { closed } = beginsToSpeak()
    const answer = await chat(ada, { stream: true })
    const id = answer.headers.get('x-message-id') ?? ''
    const events = readEvents(answer)
    await events.next()
    expect(await runsOf(ada, '?state=active')).toEqual([
      {
        id,
        kind: 'turn',
        agentId: ada.agent.id,
        state: 'active',
        startedAt: expect.any(String),
        by: `user:${ada.id}`,
        tokens: null,
        costUsd: null,
      },
    ])
    expect(await cancel(ada, id, { reason: 'wrong question' })).toEqual({
      status: 202,
      body: { id, state: 'cancelling' },
    })
    await closed
    const error = { error: 'The turn was cancelled', code: 'CANCELLED', reason: 'wrong question' }
    expect((await events.next()).value).toEqual({ event: 'error', id: `${id}:2`, data: error })
    expect(await lastMessage(ada)).toMatchObject({
      sender: 'agent',
      content: 'As I was ',
      cancelled: true,
      reason: 'wrong question',
    })
    expect(await runsOf(ada)).toMatchObject([{ id, state: 'cancelled' }])
    expect(await runsOf(ada, '?state=active')).toEqual([])
    const again = await call('GET', `/api/chat/turns/${id}/stream`, { session: ada.session })
    expect((await allEvents(again)).at(-1)).toMatchObject({ event: 'error', data: error })
    expect(await cancel(ada, id)).toMatchObject({ status: 409, body: { code: 'RUN_ENDED' } })
  })

  it('a turn that is not streamed, with 409, before its first word', async () => {
    const ada = await newWorld()
    let closed = false
    gateway.reply = async (response) => {
      await once(response, 'close')
      closed = true
    }
    const answering = chat(ada, {})
    await expect.poll(() => runsOf(ada, '?state=active'), { timeout: 30_000 }).toHaveLength(1)
    const [run] = await runsOf(ada)
    expect((await cancel(ada, String(run?.id))).status).toBe(202)
    const answer = await answering
    expect([answer.status, await answer.json()]).toEqual([
      409,
      { error: 'The turn was cancelled', code: 'CANCELLED', reason: null },
    ])
    await until(() => closed)
    expect(await lastMessage(ada)).toMatchObject({ cancelled: true, reason: null, content: '' })
  })

  it('every turn of a swarm’s run', async () => {
    const ada = await newWorld()
    const port = Number(new URL(gateway.baseUrl).port)
    const other = await putAgent(accounts.table, ada.id, { address: { host: '127.0.0.1', port } })
    gateway.reply = async (response) => void (await once(response, 'close'))
    const team = { name: 'Team', agents: [ada.agent.id, other.id] }
    const swarm = String((await ask('POST', '/api/swarms', ada, team)).body.id)
    gateway.calls.length = 0
    const running = ask('POST', `/api/swarms/${swarm}/run`, ada, { prompt: 'Go' })
    await until(() => gateway.calls.length > 1)
    await expect.poll(() => runsOf(ada, '?state=active'), { timeout: 30_000 }).toHaveLength(1)
    const [run] = await runsOf(ada)
    expect(run).toMatchObject({ kind: 'swarm', agentId: null, state: 'active' })
    expect((await cancel(ada, String(run?.id))).status).toBe(202)
    const { body } = await running
    const ended = expect.objectContaining({ error: 'The turn was cancelled' })
    expect(body.results).toEqual([ended, ended])
    expect(await runsOf(ada)).toMatchObject([{ id: run?.id, state: 'cancelled' }])
  })

  it('a scheduled or manual run that waits', async () => {
    const ada = await newWorld()
    const task = await newTask(ada)
    const begun = await ask('POST', `/api/scheduled-tasks/${task}/run`, ada)
    expect(begun).toEqual({ status: 202, body: { runId: expect.stringMatching(/^run_/) } })
    const runId = String(begun.body.runId)
    expect(await ask('POST', `/api/scheduled-tasks/${task}/run`, ada)).toMatchObject({
      status: 409,
      body: { code: 'RUN_UNDER_WAY' },
    })
    expect(await runsOf(ada, '?state=queued')).toMatchObject([
      { id: runId, kind: 'task', by: `user:${ada.id}`, agentId: ada.agent.id },
    ])
    expect((await cancel(ada, runId, { reason: 'not now' })).status).toBe(202)
    await carryOut()
    const { body } = await ask('GET', `/api/scheduled-tasks/${task}/runs`, ada)
    expect(body.runs).toMatchObject([{ id: runId, status: 'cancelled', error: 'not now' }])
    expect((await cancel(ada, runId)).status).toBe(409)
    // The task is free again, and no prompt was sent.
    gateway.reply = (response) => say(response, 'Fine.')
    expect((await ask('POST', `/api/scheduled-tasks/${task}/run`, ada)).status).toBe(202)
    await carryOut()
    const after = await ask('GET', `/api/scheduled-tasks/${task}/runs?limit=1`, ada)
    expect(after.body.runs).toEqual([
      {
        id: expect.stringMatching(/^run_/),
        startedAt: expect.any(String),
        finishedAt: expect.any(String),
        status: 'finished',
        reply: 'Fine.',
        error: null,
        tokens: expect.any(Number),
        costUsd: null,
      },
    ])
  })

  it('a run of a task in the middle of its turn', async () => {
    const ada = await newWorld()
    const task = await newTask(ada)
    const { runId } = (await ask('POST', `/api/scheduled-tasks/${task}/run`, ada)).body
    gateway.reply = async (response) => void (await once(response, 'close'))
    const working = carryOut()
    await expect
      .poll(() => runsOf(ada, '?state=active'), { timeout: 30_000 })
      .toMatchObject([{ id: runId, kind: 'task' }])
    expect((await cancel(ada, String(runId), { reason: 'enough' })).status).toBe(202)
    await working
    const { body } = await ask('GET', `/api/scheduled-tasks/${task}/runs`, ada)
    expect(body.runs).toMatchObject([{ status: 'cancelled', error: 'enough' }])
    const list = (await ask('GET', '/api/scheduled-tasks', ada)).body.tasks
    expect(list).toMatchObject([{ lastStatus: 'cancelled' }])
    const [turn] = await lastTurns(userStore(accounts.table, ada.id))
    expect(turn).not.toHaveProperty('key')
  })
})

it('a turn by a key has the key and its spend limits in its row, and a turn by a session does not', async () => {
  const { table } = accounts
  const { userId, headers } = await keyHolder(table, solo, { limits: { usdPerDay: 5 } })
  const port = Number(new URL(gateway.baseUrl).port)
  await putAgent(table, userId, { address: { host: '127.0.0.1', port } })
  gateway.reply = (response) => say(response, 'Fine.')
  expect((await call('POST', '/api/chat', { headers, body: { message: 'Hi' } })).status).toBe(200)
  const byKey = await lastTurns(userStore(table, userId))
  const key = { keyId: expect.stringMatching(/^key_/), keyName: 'k' }
  expect(byKey).toMatchObject([{ key, keyLimits: { usdPerDay: 5 } }])
  expect(gateway.lastCall.headers['tracestate']).toMatch(/,agent-platform-key=limited$/)
  const ada = await newWorld()
  expect((await chat(ada, {})).status).toBe(200)
  const [turn] = await lastTurns(userStore(table, ada.id))
  expect(turn).not.toHaveProperty('key')
})

describe('cancelling rejects', () => {
  it('cancelling rejects another user’s run, a request without a sign-in, and a missing run', async () => {
    const [ada, eve] = [await newWorld(), await newWorld()]
    const task = await newTask(ada)
    const { runId } = (await ask('POST', `/api/scheduled-tasks/${task}/run`, ada)).body
    gateway.reply = (response) => say(response, 'Fine.')
    const answer = await chat(ada, { stream: true })
    await allEvents(answer)
    const turnId = String(answer.headers.get('x-message-id'))
    for (const id of [String(runId), turnId, newId('msg'), 'x', 'split_1', 'job_x'])
      expect((await cancel(eve, id)).status).toBe(404)
    expect(await runsOf(eve)).toEqual([])
    expect((await ask('GET', `/api/runs?agentId=${ada.agent.id}`, eve)).status).toBe(404)
    expect((await ask('GET', '/api/runs?state=busy', eve)).status).toBe(400)
    expect((await cancel(ada, turnId, { reason: 7 })).status).toBe(400)
    for (const rest of ['run', 'runs']) {
      const method = rest === 'run' ? 'POST' : 'GET'
      const path = `/api/scheduled-tasks/${task}/${rest}`
      expect((await ask(method, path, eve)).status).toBe(404)
      expect((await ask(method, path, { session: 'usr_x.nonsense' })).status).toBe(401)
    }
    expect((await ask('GET', '/api/runs', { session: 'usr_x.nonsense' })).status).toBe(401)
    expect(await runsOf(ada, '?state=queued')).toHaveLength(1)
    sent.length = 0
  })
})

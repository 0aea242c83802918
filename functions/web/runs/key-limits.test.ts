import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { job } from '#functions/jobs/task-runs.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { turnRows } from '#shared/ai/turns/rows.ts'
import { type RunRef, taskRuns } from '#shared/conversations/scheduled-tasks/runs/topic.ts'
import { tick } from '#shared/conversations/scheduled-tasks/tick.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import type { KeyLimits } from '#shared/platform/identity/actor.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { keyHolder, solo } from '#tests/support/ai/callers.ts'
import { chatCaller, encryptionKey, useChatAgent } from '#tests/support/conversations/chat.ts'
import type { Upstream } from '../../../agent/gateway/testing/upstream.ts'
import { routes } from '../runs.ts'

const started = await useChatAgent()
let accounts: Accounts
/** Stands in for the platform's AI gateway, behind a real agent. */
let models: Upstream
let call: ReturnType<typeof chatCaller>
let ada: { id: string; session: string }
let agent: Agent
let users = 0
const sent: RunRef[] = []
const queues: Queues = {
  send: async (_topic, message) => void sent.push(taskRuns.schema().parse(message)),
  sendAll: async (_topic, messages) =>
    void sent.push(...messages.map((message) => taskRuns.schema().parse(message))),
}

beforeAll(async () => {
  accounts = await startAccounts()
  models = started.models
  call = chatCaller(accounts.table, { queues }, routes)
})
afterAll(() => accounts.close())
beforeEach(async () => {
  sent.length = 0
  ada = await accounts.signUp(`limited${users++}@b.co`)
  agent = await started.putFor(accounts.table, ada.id)
})

const limits = { usdPerDay: 1, usdPerMonth: 5 }

const keyOf = (of?: KeyLimits) => keyHolder(accounts.table, solo, { userId: ada.id, limits: of })

type Caller = { session: string } | { headers: Record<string, string> }

async function ask(method: string, path: string, caller: Caller, body?: object) {
  const answer = await call(method, path, { ...caller, ...(body && { body }) })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function newTask(caller: Caller): Promise<string> {
  const task = { name: 'Brief', cronSchedule: '*/5 * * * *', prompt: 'News?', agentId: agent.id }
  const { status, body } = await ask('POST', '/api/scheduled-tasks', caller, task)
  expect(status).toBe(201)
  expect(Object.keys(body)).not.toContain('key')
  expect(Object.keys(body)).not.toContain('keyLimits')
  return String(body['id'])
}

/** Runs everything that was sent, with the job and a real agent. Returns the key of the only turn. */
async function carriedOut() {
  expect(sent).toHaveLength(1)
  const [run] = sent.splice(0)
  if (run === undefined) throw new Error('nothing was sent')
  const config = loadConfig({ WALLET_ENCRYPTION_KEY: encryptionKey })
  const context = { table: accounts.table, queues, config, log: createLog({ function: 'test' }) }
  const request = { requestId: 'req_test', seed: newSeed(), receives: 1 }
  const actor = { type: 'platform', askedBy: 'test' } as const
  await job.handle({ ...context, ...request, actor }, run)
  const store = userStore(accounts.table, ada.id)
  const turns = await allItems((from) => store.query({ beginsWith: turnRows.prefix(), ...from }))
  expect(turns).toHaveLength(1)
  const [{ key, keyLimits } = {}] = turns.map((turn) => turnRows.parse(turn))
  const isLimited = String(models.lastCall.headers['tracestate']).includes('key=limited')
  return { key, keyLimits, isLimited }
}

/** Lets the schedule start a run of this user's task. */
async function schedule(): Promise<void> {
  const later = Date.now() + 5 * 60_000
  const log = createLog({ function: 'test' })
  await tick({ table: accounts.table, queues, log, clock: () => later })
  const own = sent.filter(({ userId }) => userId === ada.id)
  sent.splice(0, sent.length, ...own)
}

describe('a run of a scheduled task', () => {
  it('a run of a scheduled task that a key starts counts against the limits of the key', async () => {
    const taskId = await newTask({ session: ada.session })
    const { headers, keyId } = await keyOf(limits)
    expect((await ask('POST', `/api/scheduled-tasks/${taskId}/run`, { headers })).status).toBe(202)
    expect(await carriedOut()).toEqual({
      key: { keyId, keyName: 'k' },
      keyLimits: limits,
      isLimited: true,
    })
  })

  it('a run of a scheduled task that a key without limits starts is counted for the key', async () => {
    const taskId = await newTask({ session: ada.session })
    const { headers, keyId } = await keyOf()
    await ask('POST', `/api/scheduled-tasks/${taskId}/run`, { headers })
    const { key, keyLimits, isLimited } = await carriedOut()
    expect([key?.keyId, keyLimits, isLimited]).toEqual([keyId, undefined, false])
  })

  it('a run of a scheduled task that the schedule starts counts against the limits of the key that created the task', async () => {
    const { headers, keyId } = await keyOf(limits)
    await newTask({ headers })
    await schedule()
    const { key, keyLimits, isLimited } = await carriedOut()
    expect([key?.keyId, keyLimits, isLimited]).toEqual([keyId, limits, true])
  })

  it('a run of a scheduled task that the schedule starts counts against the limits of the key that changed the task last', async () => {
    const first = await keyOf(limits)
    const taskId = await newTask(first)
    const second = await keyOf({ usdPerDay: 2 })
    const prompt = { taskId, prompt: 'Nothing new?' }
    expect((await ask('PUT', '/api/scheduled-tasks', second, prompt)).status).toBe(200)
    await schedule()
    const { key, keyLimits } = await carriedOut()
    expect([key?.keyId, keyLimits]).toEqual([second.keyId, { usdPerDay: 2 }])
  })

  it('counts against no key after its user has changed the task', async () => {
    const taskId = await newTask(await keyOf(limits))
    const { session } = ada
    await ask('PUT', '/api/scheduled-tasks', { session }, { taskId, name: 'Mine' })
    await schedule()
    expect(await carriedOut()).toEqual({ isLimited: false })
  })
})

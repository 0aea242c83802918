import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { taskLimit } from '#shared/conversations/scheduled-tasks/create.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'
import { chatCaller } from '#tests/support/conversations/chat.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { routes } from '../runs.ts'

fromMidMonth()

let accounts: Accounts
let ada: { id: string; session: string }
let eve: { id: string; session: string }
let agent: Agent
let call: ReturnType<typeof chatCaller>

beforeAll(async () => {
  accounts = await startAccounts()
  ada = await accounts.signUp('ada@b.co')
  eve = await accounts.signUp('eve@b.co')
  agent = await putAgent(accounts.table, ada.id)
  call = chatCaller(accounts.table, {}, routes)
})
afterAll(() => accounts.close())

const path = '/api/scheduled-tasks'

async function send(method: string, body?: unknown, session = ada.session, query = '') {
  const answer = await call(method, path + query, { body, session })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const brief = () => ({
  name: 'Morning brief',
  cronSchedule: '30 7 * * 1-5',
  prompt: 'What is new?',
  agentId: agent.id,
})

async function made(changes: object = {}) {
  const { tasks } = platformOver(call, ada)
  const { data, response } = await tasks.create({ ...brief(), ...changes }).withResponse()
  expect(response.status).toBe(201)
  return data
}

const tasksOf = async ({ session } = ada) => (await send('GET', undefined, session)).body
const listOf = ({ session } = ada) => platformOver(call, { session }).tasks.list()

describe('a new task', () => {
  it('is returned as an object, with its next run', async () => {
    const task = await made({ timezone: 'Europe/London', description: 'Weekdays' })
    expect(task).toEqual({
      id: expect.stringMatching(/^tsk_[0-9a-z]{26}$/),
      agentId: agent.id,
      name: 'Morning brief',
      description: 'Weekdays',
      cronSchedule: '30 7 * * 1-5',
      timezone: 'Europe/London',
      prompt: 'What is new?',
      enabled: true,
      lastRun: null,
      lastStatus: null,
      nextRun: expect.stringMatching(/T0[67]:30:00\.000Z$/),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect(Date.parse(String(task.nextRun))).toBeGreaterThan(Date.now())
    const tasks = await listOf()
    expect(tasks).toContainEqual(task)
    expect(await tasksOf()).toEqual({ tasks, count: tasks.length })
  })

  it('a new task that is disabled has no next run until it is enabled', async () => {
    const { id, nextRun } = await made({ enabled: false })
    expect(nextRun).toBeNull()
    const { body } = await send('PUT', { taskId: id, enabled: true })
    expect(body).toMatchObject({ enabled: true, nextRun: expect.any(String) })
  })

  it.each([
    ['name', { name: ' ' }],
    ['prompt', { prompt: 7 }],
    ['agentId', { agentId: undefined }],
    ['cronSchedule', { cronSchedule: 'every day at nine' }],
    ['cronSchedule', { cronSchedule: '* * * * * *' }],
    ['cronSchedule', { cronSchedule: '99 * * * *' }],
    ['cronSchedule', { cronSchedule: '0 0 31 2 *' }],
    ['cronSchedule', { cronSchedule: '2099-01-01T00:00:00' }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['enabled', { enabled: 'yes' }],
    ['description', { description: 'x'.repeat(1001) }],
  ])(
    'a new task with an invalid %s is rejected, and nothing is created',
    async (field, changes) => {
      const before = await tasksOf()
      const { status, body } = await send('POST', { ...brief(), ...changes })
      expect(status).toBe(400)
      expect(body.error).toContain(field)
      expect(await tasksOf()).toEqual(before)
    },
  )

  it('a new task that is created twice under one idempotency key exists once', async () => {
    const headers = { 'idempotency-key': 'one-brief' }
    const ask = () => call('POST', path, { body: brief(), session: ada.session, headers })
    const [first, second] = [await ask(), await ask()]
    expect(await second.json()).toEqual(await first.json())
    expect(second.headers.get('idempotent-replayed')).toBe('true')
  })

  it('is rejected above the limit, even under concurrent requests', async () => {
    const zoe = await accounts.signUp('zoe@b.co')
    const hers = await putAgent(accounts.table, zoe.id)
    await accounts.table.update(
      { pk: `user#${zoe.id}`, sk: 'profile' },
      { set: { taskCount: taskLimit - 2 } },
    )
    const pending = Array.from({ length: 6 }, () =>
      send('POST', { ...brief(), agentId: hers.id }, zoe.session),
    )
    const answers = await Promise.all(pending)
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'TASK_LIMIT_REACHED',
      limit: taskLimit,
    })
    const tasks = await listOf(zoe)
    await send('DELETE', { taskId: tasks[0]?.id }, zoe.session)
    expect((await send('POST', { ...brief(), agentId: hers.id }, zoe.session)).status).toBe(201)
  })
})

describe('another user’s', () => {
  it('agent cannot get a task, nor can a task move to it', async () => {
    expect((await send('POST', brief(), eve.session)).status).toBe(404)
    const hers = await putAgent(accounts.table, eve.id)
    const { id } = await made()
    expect((await send('PUT', { taskId: id, agentId: hers.id })).status).toBe(404)
    expect((await send('GET', undefined, eve.session, `?agentId=${agent.id}`)).status).toBe(404)
  })

  it('task is treated as missing', async () => {
    const { id } = await made()
    expect((await send('PUT', { taskId: id, name: 'Mine' }, eve.session)).status).toBe(404)
    expect((await send('DELETE', { taskId: id }, eve.session)).status).toBe(404)
    expect(await tasksOf(eve)).toEqual({ tasks: [], count: 0 })
    const tasks = await listOf()
    expect(tasks.find((task) => task.id === id)?.name).toBe('Morning brief')
  })
})

describe('a change', () => {
  it('updates only the named fields and the next run', async () => {
    const task = await made()
    const { body } = await send('PUT', {
      taskId: task.id,
      cronSchedule: '0 12 * * *',
      name: 'Noon',
    })
    expect(body).toEqual({
      ...task,
      name: 'Noon',
      cronSchedule: '0 12 * * *',
      nextRun: expect.stringMatching(/T12:00:00\.000Z$/),
      updatedAt: expect.any(String),
    })
  })

  it('a change without a valid schedule is rejected and changes nothing', async () => {
    const { id } = await made()
    const before = await tasksOf()
    const { status, body } = await send('PUT', { taskId: id, timezone: 'Nowhere', name: 'Lost' })
    expect(status).toBe(400)
    expect(body).toEqual({ error: expect.stringContaining('timezone') })
    expect(await tasksOf()).toEqual(before)
  })

  it('two concurrent changes are both kept', async () => {
    const { id } = await made()
    await Promise.all([
      send('PUT', { taskId: id, name: 'Renamed' }),
      send('PUT', { taskId: id, prompt: 'Asked anew' }),
    ])
    const tasks = await listOf()
    expect(tasks.find((task) => task.id === id)).toMatchObject({
      name: 'Renamed',
      prompt: 'Asked anew',
    })
  })
})

describe('a deleted task', () => {
  it('is not found, and is deleted once', async () => {
    const { id } = await made()
    expect((await send('DELETE', { taskId: id })).body).toEqual({ success: true, taskId: id })
    expect((await send('DELETE', { taskId: id })).status).toBe(404)
    expect((await send('PUT', { taskId: id, name: 'Back' })).status).toBe(404)
  })
})

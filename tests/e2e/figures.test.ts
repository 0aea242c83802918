import { beforeAll, expect, it } from 'vitest'
import { untilDayHasTime } from '../support/clock/day.ts'
import { eventually } from '../support/clock/eventually.ts'
import {
  asInternal,
  call,
  chat,
  lifecycle,
  newSubscriber,
  runningAgent,
  stack,
  type TestUser,
  untilStatus,
} from '../support/stack/platform.ts'

const number = expect.any(Number)

let user: TestUser

/** Calls a route of the web surface as the test's user. */
async function web(path: string) {
  const { status, body } = await call(stack().web + path, { headers: user.session })
  expect([path, status]).toEqual([path, 200])
  return body
}

/** Calls a route of the backend as a trusted caller for the user. */
async function backend(path: string) {
  const { status, body } = await call(stack().backend + path, { headers: asInternal(user.id) })
  expect([path, status]).toEqual([path, 200])
  return body
}

const figuresOf = async (id: string) => ({
  agent: (await web(`/api/agents/${id}/stats`)).stats,
  instance: await web(`/api/instance/${id}/stats`),
  container: await backend(`/api/runtime/instances/${id}/stats`),
  messages: await web(`/api/agents/${id}/messages`),
  usage: (await backend(`/api/usage/by-agent/${id}`)).data,
})

const measured = { cpu: number, memory: number, uptimeMs: number }
const neverMeasured = { cpu: null, memory: null, uptimeMs: null }
const neverAsked = {
  messagesProcessed: 0,
  averageResponseMs: null,
  successRate: null,
  errorRate: null,
}

/** The figures of a running agent without any request. */
const quietFigures = {
  agent: { ...measured, ...neverAsked },
  instance: { ...measured, messages: 0, errors: 0 },
  container: measured,
  messages: { messages: [], total: 0 },
  usage: [],
}

/** Calls every route that sums over all agents of a user. */
const totals = async () => ({
  overview: (await web('/api/metrics')).metrics,
  history: await backend(`/api/metrics/${user.id}/historical`),
  performance: await backend(`/api/metrics/${user.id}/performance`),
  summary: await backend(`/api/metrics/${user.id}/summary`),
  daily: (await backend('/api/usage/daily')).data,
  models: (await backend('/api/usage/by-model')).data,
  tools: (await backend('/api/usage/tools')).data,
  billing: (await web('/api/billing')).usage,
})

beforeAll(untilDayHasTime)

it('the platform’s counts are 0 without data, and rates and averages are null', async () => {
  user = await newSubscriber('collective')
  const quiet = await runningAgent(user, 'Quiet')
  const busy = await runningAgent(user, 'Busy')
  for (const id of [quiet, busy]) expect(await figuresOf(id)).toMatchObject(quietFigures)
  expect(await totals()).toMatchObject({
    overview: {
      messages: { today: 0, thisWeek: 0, thisMonth: 0 },
      performance: { averageResponseMs: null, successRate: null },
    },
    history: { averages: { messages: 0, tokens: 0, cost: 0, errors: 0 } },
    performance: { cpu: null, memory: null, errorRate: null, responseTime: null },
    summary: { messages: { month: 0, total: 0 }, tokens: { month: 0 }, cost: { month: 0 } },
    daily: [],
    models: [],
    tools: [],
    billing: { used: 0 },
  })

  expect((await chat(user, { message: 'What is on tonight?', agentId: busy })).status).toBe(200)
  const request = await eventually(async () => {
    const figures = await figuresOf(busy)
    expect(figures).toMatchObject({
      agent: {
        ...measured,
        messagesProcessed: 1,
        averageResponseMs: number,
        successRate: 1,
        errorRate: 0,
      },
      instance: { ...measured, messages: 1, errors: 0 },
      container: measured,
      messages: { total: 2 },
      usage: [{ events: 1, cost_usd: 0, total_tokens: number }],
    })
    return figures
  })
  expect(await figuresOf(quiet)).toMatchObject(quietFigures)
  const [{ total_tokens: tokens }] = request.usage as [{ total_tokens: number }]
  const each = { messages: 2 / 7, tokens: tokens / 7, cost: 0, errors: 0 }
  expect(await totals()).toMatchObject({
    overview: {
      messages: { today: 2, thisWeek: 2, thisMonth: 2 },
      performance: { averageResponseMs: number, successRate: 1 },
    },
    history: { averages: each },
    performance: { cpu: null, memory: null, errorRate: 0, responseTime: number },
    summary: { messages: { month: 2, total: 2 }, tokens: { month: tokens }, cost: { month: 0 } },
    daily: [{ turns: 1, total_tokens: tokens, cost_usd: 0 }],
    models: [{ turns: 1, total_tokens: tokens, cost_usd: 0 }],
    tools: [],
    billing: { used: tokens },
  })
  expect(await web('/api/dashboard/cost')).toMatchObject({
    isMockData: false,
    summary: { totalCost: 0, totalTokens: tokens, totalCalls: 1, avgCostPerCall: 0 },
    agents: [{ name: 'Busy', calls: 1, avgCostPerCall: 0 }],
  })
})

it('a stopped agent keeps the platform’s counts, and its container’s figures are null', async () => {
  user = await newSubscriber()
  const id = await runningAgent(user)
  expect((await chat(user, { message: 'What is on tonight?', agentId: id })).status).toBe(200)
  expect((await lifecycle(user, id, 'stop')).status).toBe(200)
  await untilStatus(user, id, 'stopped')
  await eventually(async () =>
    expect(await figuresOf(id)).toMatchObject({
      agent: { ...neverMeasured, messagesProcessed: 1, successRate: 1, errorRate: 0 },
      instance: { ...neverMeasured, messages: null, errors: null },
      container: neverMeasured,
      messages: { total: 2 },
      usage: [{ events: 1 }],
    }),
  )
})

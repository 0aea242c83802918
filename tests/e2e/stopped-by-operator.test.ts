import { beforeAll, describe, expect, it } from 'vitest'
import { schedulesDue } from '#shared/conversations/scheduled-tasks/rows.ts'
import { eventually } from '../support/clock/eventually.ts'
import {
  asInternal,
  call,
  chat,
  lifecycle,
  newSubscriber,
  runningAgent,
  sharedTable,
  stack,
  subscribe,
  type TestUser,
  untilStatus,
} from '../support/stack/platform.ts'
import { processesOf } from '../support/stack/processes.ts'

const reason = 'The agent was stopped by an operator'

const asOperator = (id: string, verb: string) =>
  call(`${stack().backend}/api/agents/${id}/${verb}`, { method: 'POST', headers: asInternal() })

describe('an agent that an operator has stopped', () => {
  let user: TestUser
  let id: string

  beforeAll(async () => {
    user = await newSubscriber('solo')
    id = await runningAgent(user)
    expect((await asOperator(id, 'stop')).status).toBe(200)
    await eventually(() => expect(processesOf(stack().dataDir, id)).toEqual([]))
  })

  it('is not started by its owner, on either surface', async () => {
    for (const verb of ['start', 'restart', 'repair', 'update']) {
      const web = await call(`${stack().web}/api/instance/${id}/${verb}`, {
        method: 'POST',
        headers: user.session,
      })
      for (const { status, body } of [web, await lifecycle(user, id, verb)])
        expect([verb, status, body.code]).toEqual([verb, 409, 'STOPPED_BY_OPERATOR'])
    }
  })

  it('returns the reason in a chat and in a swarm', async () => {
    const { status, body } = await chat(user, { message: 'Hello?', agentId: id })
    expect([status, body.code, body.error]).toEqual([409, 'STOPPED_BY_OPERATOR', reason])
    const swarms = `${stack().web}/api/swarms`
    const headers = user.session
    const made = await call(swarms, { headers, body: { name: 'Team', agents: [id] } })
    const run = await call(`${swarms}/${made.body.id}/run`, { headers, body: { prompt: 'Well?' } })
    expect(run.body.results).toEqual([{ agentId: id, reply: null, error: reason }])
  })

  it('fails the runs of its scheduled tasks, with the reason', async () => {
    const path = `${stack().web}/api/scheduled-tasks`
    const task = { name: 'Brief', cronSchedule: '0 0 1 1 *', prompt: 'What is new?', agentId: id }
    const made = await call(path, { headers: user.session, body: task })
    expect(made.status).toBe(201)
    const due = new Date(Date.now() - 1000).toISOString()
    const key = { pk: `user#${user.id}`, sk: `task#${String(made.body.id)}` }
    await sharedTable().update(key, {
      set: { nextRun: due, ...schedulesDue.at(String(made.body.id), Date.parse(due)) },
      add: { revision: 1 },
    })
    await eventually(async () => {
      const { tasks } = (await call(path, { headers: user.session })).body
      expect(tasks).toMatchObject([{ lastRun: due, lastStatus: `failed: ${reason}` }])
    }, 90_000)
    expect(processesOf(stack().dataDir, id)).toEqual([])
  }, 180_000)

  it('runs again once an operator starts it, even if its owner’s plan has ended', async () => {
    await subscribe(user.id, 'solo', 'canceled')
    expect((await asOperator(id, 'start')).status).toBe(200)
    await untilStatus(user, id, 'running')
    const { status, body } = await lifecycle(user, id, 'restart')
    expect([status, body.code]).toEqual([402, 'SUBSCRIPTION_REQUIRED'])
    await subscribe(user.id, 'solo')
    expect((await lifecycle(user, id, 'restart')).status).toBe(200)
    await untilStatus(user, id, 'running')
  })
})

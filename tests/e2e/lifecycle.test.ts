import { beforeAll, describe, expect, it, vi } from 'vitest'
import { locatorKey } from '#shared/agents/record/agent.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { eventually } from '../support/clock/eventually.ts'
import { enginesOf } from '../support/stack/engines.ts'
import {
  agentOf,
  agentsOf,
  asInternal,
  call,
  chat,
  historyOf,
  lifecycle,
  newSubscriber,
  runningAgent,
  secretsOf,
  sharedTable,
  stack,
  type TestUser,
  untilStatus,
} from '../support/stack/platform.ts'
import { type AgentProcess, processesOf } from '../support/stack/processes.ts'

const untilGone = (id: string) =>
  eventually(() => expect(processesOf(stack().dataDir, id)).toEqual([]))

async function keyOf(container: AgentProcess | undefined): Promise<string> {
  if (container === undefined) throw new Error('the agent has no process')
  return (await secretsOf(container)).AI_API_KEY
}

/** Returns whether the platform's AI gateway accepts a container's key. */
async function keyWorks(key: string): Promise<boolean> {
  const { status } = await call(`${stack().backend}/v1/models`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect([200, 401]).toContain(status)
  return status === 200
}

describe('an agent, one step after the other', () => {
  let user: TestUser
  let id: string
  let aiKey: string

  beforeAll(async () => {
    user = await newSubscriber('label')
    id = await runningAgent(user)
    await chat(user, { message: 'Remember this.' })
    aiKey = await keyOf(processesOf(stack().dataDir, id)[0])
  })

  it('holds its own key, which works while it runs', async () => {
    expect(await keyWorks(aiKey)).toBe(true)
  })

  it('stops: no process, no key, no chat', async () => {
    const { status, body } = await lifecycle(user, id, 'stop')
    expect([status, body]).toEqual([200, { success: true, status: 'stopped' }])
    expect(await keyWorks(aiKey)).toBe(false)
    await untilGone(id)
    const agent = await agentOf(user, id)
    expect(agent).toMatchObject({ status: 'stopped', startedAt: null })
    expect(agent.watchdog).toMatchObject({ state: 'stopped', incidents: [] })
    const refused = await chat(user, { message: 'Hello?', agentId: id })
    expect([refused.status, refused.body]).toEqual([
      409,
      { error: 'The agent is not running', code: 'AGENT_NOT_RUNNING', status: 'stopped' },
    ])
  })

  it('may be stopped again', async () => {
    const { status, body } = await lifecycle(user, id, 'stop')
    expect([status, body]).toEqual([200, { success: true, status: 'stopped' }])
  })

  it('starts again with another key and remembers the conversation', async () => {
    const { body } = await lifecycle(user, id, 'start')
    expect(body).toEqual({ success: true, status: 'provisioning' })
    await untilStatus(user, id, 'running')
    const [next] = processesOf(stack().dataDir, id)
    expect(next?.generation).toBe(2)
    const nextKey = await keyOf(next)
    expect(nextKey).not.toBe(aiKey)
    expect(await keyWorks(nextKey)).toBe(true)
    expect(await keyWorks(aiKey)).toBe(false)
    expect(await historyOf(user, id)).toMatchObject([
      { sender: 'user', content: 'Remember this.' },
      { sender: 'agent', content: expect.stringContaining('Remember this.') },
    ])
    expect((await chat(user, { message: 'And now?' })).status).toBe(200)
    aiKey = nextKey
  })

  it('restarts: another process, never two', async () => {
    const { status, body } = await lifecycle(user, id, 'restart')
    expect([status, body]).toMatchObject([200, { success: true, status: 'provisioning' }])
    const most: number[] = []
    await vi.waitFor(
      async () => {
        const processes = processesOf(stack().dataDir, id)
        most.push(processes.length)
        expect(processes.map(({ generation }) => generation)).toEqual([3])
        expect(await agentOf(user, id)).toMatchObject({ status: 'running' })
      },
      { timeout: 30_000, interval: 10 },
    )
    expect(Math.max(...most)).toBe(1)
    aiKey = await keyOf(processesOf(stack().dataDir, id)[0])
  })

  it('is deleted without leftovers', async () => {
    const { body } = await call(`${stack().backend}/api/agents/${id}`, {
      method: 'DELETE',
      headers: asInternal(user.id),
    })
    expect(body).toEqual({ id, deleted: true })
    expect(await keyWorks(aiKey)).toBe(false)
    expect(await agentsOf(user)).toEqual([])
    const gone = await call(`${stack().web}/api/agents/${id}`, { headers: user.session })
    expect([gone.status, gone.body]).toEqual([404, { error: 'Agent not found' }])
    await untilGone(id)
    const table = sharedTable()
    const pk = userPartition(user.id)
    await eventually(async () => {
      expect((await table.query({ pk, beginsWith: 'agent#' })).items).toEqual([])
      expect((await table.query({ pk, beginsWith: 'message#' })).items).toEqual([])
    })
    expect(await table.get(locatorKey(id))).toBeUndefined()
    expect(await enginesOf(() => stack().endpoints).wantedTasks(id)).toEqual([])
  })

  it('frees its place, so that the next one fits into the plan', async () => {
    await runningAgent(user, 'Successor')
    expect(await agentsOf(user)).toHaveLength(1)
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Agent, locatorKey } from '#shared/agents/record/agent.ts'
import { agentKeyIdentity } from '#shared/agents/record/ai-key.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { missing } from '#shared/agents/record/watch/missing.ts'
import { type ScheduledTask, toItem } from '#shared/conversations/scheduled-tasks/task.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import { deleteAgent } from '../delete.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())
beforeEach(() => fleet.forget())

describe('a deletion', () => {
  const messageOf = (agent: Agent, n: number) => `message#${agent.id}#${String(n).padStart(4, '0')}`

  async function withMessages(count: number): Promise<Agent> {
    const agent = await fleet.untilRunning(await fleet.started())
    const store = userStore(fleet.table, String(agent.userId))
    for (let n = 0; n < count; n++) await store.put(messageOf(agent, n), { content: 'x' })
    await store.put('message#agt_other#1', { content: "another agent's" })
    return agent
  }

  async function leftOf(agent: Agent): Promise<string[]> {
    const { items } = await userStore(fleet.table, String(agent.userId)).query({})
    // The data for a restore is kept for a while.
    return items.map(({ sk }) => sk).filter((sk) => sk !== `deleted-agent#${agent.id}`)
  }

  it('stops the container and removes every row of the agent, and no other', async () => {
    const agent = await withMessages(230)
    const { AI_API_KEY } = await fleet.environmentOf(agent)
    await deleteAgent(fleet.services, { agentId: agent.id, owner: undefined })
    expect(await fleet.table.get(locatorKey(agent.id))).toBeUndefined()
    expect(await agentKeyIdentity(fleet.table)(String(AI_API_KEY))).toBeUndefined()
    await fleet.deliver()
    expect(await leftOf(agent)).toEqual(['message#agt_other#1', 'profile'])
    expect(await fleet.wantedTasks(agent)).toEqual([])
  })

  it('removes memory, skills, credentials, schedules and quotas too, and late writes', async () => {
    const agent = await fleet.untilRunning(await fleet.started())
    const user = String(agent.userId)
    const store = userStore(fleet.table, user)
    await store.put('profile', { id: user, taskCount: 2 })
    const taskOf = (id: string, agentId: string): ScheduledTask => ({
      id,
      userId: user,
      agentId,
      name: 'Check',
      description: null,
      cronSchedule: '0 7 * * *',
      timezone: 'UTC',
      prompt: 'Well?',
      enabled: false,
      lastRun: null,
      lastStatus: null,
      nextRun: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      revision: 1,
    })
    const others = [
      'memory#agt_other#a',
      'skill#agt_other#a',
      'task#task_2',
      'usage#use_1',
      'broker-request#agt_other#a',
    ]
    await fleet.table.put(toItem(taskOf('task_1', agent.id)))
    await fleet.table.put(toItem(taskOf('task_2', 'agt_other')))
    const own = ['memory', 'skill', 'agent-quota', 'broker-request'].map(
      (noun) => `${noun}#${agent.id}#a`,
    )
    for (const sk of [
      ...own,
      `credentials#${agent.id}`,
      `broker-credentials#${agent.id}`,
      ...others.filter((sk) => !/task/.test(sk)),
    ])
      await store.put(sk, {})
    const stored = { agentId: 'agt_other', skillId: 'a' }
    const installs = [{ agentId: agent.id, skillId: 'a' }, stored]
    await store.put('skill-installs', { installs, revision: 2 })
    await deleteAgent(fleet.services, { agentId: agent.id, owner: undefined })
    const [message] = fleet.sent.splice(0)
    await fleet.consume(message?.body)
    const remaining = [...others, 'profile', 'skill-installs'].toSorted()
    expect(await leftOf(agent)).toEqual(remaining)
    expect((await store.get('skill-installs'))?.installs).toEqual([stored])
    expect((await store.get('profile'))?.taskCount).toBe(1)
    // A chat in progress stores its last message.
    await store.put(messageOf(agent, 1), { content: 'late' })
    const [sweep] = fleet.sent.splice(0)
    expect(sweep).toMatchObject({ body: { kind: 'sweep' }, delaySeconds: 900 })
    await fleet.consume(sweep?.body)
    expect(await leftOf(agent)).toEqual(remaining)
  })

  it('is followed by a sweep only if the agent is gone', async () => {
    const agent = await fleet.untilRunning(await fleet.started())
    const store = userStore(fleet.table, String(agent.userId))
    await store.put(messageOf(agent, 1), { content: 'x' })
    await fleet.consume({ kind: 'sweep', userId: agent.userId, agentId: agent.id })
    expect(await store.get(messageOf(agent, 1))).toBeDefined()
  })

  it('a deletion that is interrupted resumes at its last step', async () => {
    const agent = await withMessages(150)
    await deleteAgent(fleet.services, { agentId: agent.id, owner: undefined })
    const [message] = fleet.sent.splice(0)
    let pages = 0
    const tired = {
      ...fleet.table,
      async transact(...writes: Parameters<typeof fleet.table.transact>) {
        if (++pages === 2) throw new Error('killed')
        return fleet.table.transact(...writes)
      },
    }
    const killed = fleet.consume(message?.body, { ...fleet.consumer, table: tired })
    await expect(killed).rejects.toThrow('killed')
    const row = await readAgent(fleet.table, { userId: agent.userId, agentId: agent.id })
    expect(missing(row!, Date.now() + 60_000)).toBe('delete')
    await fleet.consume(message?.body)
    await fleet.consume(message?.body)
    expect(await leftOf(agent)).toEqual(['message#agt_other#1', 'profile'])
  })

  it('a deletion also stops a task that the row does not name', async () => {
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    const run = async (...request: Parameters<typeof fleet.containers.run>) => {
      await fleet.containers.run(...request)
      throw new Error('killed')
    }
    const killed = { ...fleet.consumer, containers: { ...fleet.containers, run } }
    await expect(fleet.consume(body, killed)).rejects.toThrow('killed')
    await deleteAgent(fleet.services, { agentId: agent.id, owner: undefined })
    const [message] = fleet.sent.splice(0)
    await fleet.consume(message?.body)
    expect(await fleet.wantedTasks(agent)).toEqual([])
  })

  it('a deletion before a start was processed leaves nothing for a late start', async () => {
    const agent = await fleet.started()
    const [start] = fleet.sent.splice(0)
    await deleteAgent(fleet.services, { agentId: agent.id, owner: undefined })
    await fleet.consume(start?.body)
    await fleet.deliver()
    await fleet.consume(start?.body)
    expect(await fleet.wantedTasks(agent)).toEqual([])
    expect(await leftOf(agent)).toEqual(['profile'])
  })

  it('message for an agent which is not deleted has no effect', async () => {
    const agent = await fleet.untilRunning(await fleet.started())
    await fleet.consume({ kind: 'delete', userId: agent.userId, agentId: agent.id })
    expect(await fleet.wantedTasks(agent)).toHaveLength(1)
    expect((await fleet.row(agent)).status).toBe('running')
  })
})

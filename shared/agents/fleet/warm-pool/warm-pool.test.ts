import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { pastTask } from '#shared/agents/record/past-tasks.ts'
import type { RunRequest } from '#shared/platform/containers/port.ts'
import type { Log } from '#shared/platform/log.ts'
import { type Fleet, otherImage, startFleet } from '#tests/support/agents/fleet.ts'
import { warmPool } from '#tests/support/agents/warm-pool.ts'
import { eventually } from '#tests/support/clock/eventually.ts'
import { deleteAgent } from '../delete.ts'
import { stopAgent } from '../lifecycle/stop.ts'
import { observeWarm } from './observe.ts'

let fleet: Fleet
beforeAll(async () => {
  fleet = await startFleet({ settings: { WARM_CONTAINERS: 'label=1,solo=1' } })
})
afterAll(() => fleet.close())

const { waiting, untilReady, untilEmpty, statusOf } = warmPool(() => fleet)
afterEach(untilEmpty)

describe('a container of the pool', () => {
  it('becomes the container of the next agent that starts, with that agent’s settings', async () => {
    const [container] = await untilReady()
    const agent = await fleet.untilRunning(await fleet.started({ systemPrompt: 'Be brief.' }))
    expect(agent).toMatchObject({ taskArn: container?.taskArn, generation: 1, status: 'running' })
    expect(await fleet.wantedTasks(agent)).toEqual([])
    expect(await fleet.environmentOf(agent)).toMatchObject({
      AGENT_ID: agent.id,
      AGENT_GENERATION: '1',
      SYSTEM_PROMPT: 'Be brief.',
      AI_API_KEY: expect.stringMatching(/./),
    })
    expect(await waiting()).toEqual([])
    await untilReady()
    expect((await waiting())[0]?.taskArn).not.toBe(container?.taskArn)
  })

  it('ends with its agent, and its end is recorded as the agent’s', async () => {
    await untilReady()
    const agent = await fleet.untilRunning(await fleet.started())
    await stopAgent(fleet.services, { agent })
    const row = await fleet.until(agent, ({ taskStatus }) => taskStatus === 'STOPPED')
    expect(row).toMatchObject({ status: 'stopped', taskArn: agent.taskArn })
    expect(await pastTask(fleet.table, agent, 1)).toMatchObject({
      taskArn: agent.taskArn,
      endedAt: expect.any(String),
    })
    expect(await statusOf(agent.taskArn)).toBe('STOPPED')
  })

  it('ends with an agent that is deleted', async () => {
    await untilReady()
    const agent = await fleet.untilRunning(await fleet.started())
    await deleteAgent(fleet.services, { agentId: agent.id, owner: undefined })
    await eventually(async () => {
      await fleet.deliver()
      expect(await statusOf(agent.taskArn)).toBe('STOPPED')
    })
  })

  it('belongs to only one agent under concurrent starts and repeated messages', async () => {
    const ready = await untilReady(2)
    const agents: Agent[] = []
    for (let i = 0; i < 4; i++) agents.push(await fleet.started())
    const messages = fleet.sent.splice(0).filter(({ queue }) => queue === 'provisioning')
    await Promise.all([...messages, ...messages].map(({ body }) => fleet.consume(body)))
    const running = []
    for (const agent of agents) running.push(await fleet.untilRunning(agent))
    const arns = running.map(({ taskArn }) => taskArn)
    expect(new Set(arns).size).toBe(4)
    expect(arns).toEqual(expect.arrayContaining(ready.map(({ taskArn }) => taskArn)))
    const own = await Promise.all(agents.map(fleet.wantedTasks))
    expect(own.flat()).toHaveLength(2)
  })

  it('is its agent’s only container if two deliveries of a start run concurrently and only one finds it', async () => {
    const [container] = await untilReady()
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    const { table } = fleet
    // The other delivery does all its work between this one's search for a container and its start of a task.
    const late: typeof table.query = async (query) => {
      const found = await table.query(query)
      if (!query.pk.startsWith('warm-pool#')) return found
      await fleet.consume(body)
      return { items: [] }
    }
    await fleet.consume(body, { ...fleet.consumer, table: { ...table, query: late } })
    expect(await fleet.wantedTasks(agent)).toEqual([])
    expect((await fleet.untilRunning(agent)).taskArn).toBe(container?.taskArn)
  })

  it('is not taken by a start that has already begun its own task', async () => {
    await untilReady()
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    const { table, containers } = fleet
    const run = async (request: RunRequest) => {
      // The other delivery finds the container only now.
      await fleet.consume(body)
      return containers.run(request)
    }
    const none: typeof table.query = async (query) =>
      query.pk.startsWith('warm-pool#') ? { items: [] } : table.query(query)
    await fleet.consume(body, {
      ...fleet.consumer,
      table: { ...table, query: none },
      containers: { ...containers, run },
    })
    expect(await fleet.wantedTasks(agent)).toHaveLength(1)
    expect(await waiting()).toHaveLength(1)
    await fleet.untilRunning(agent)
  })

  it('is notified again if the process that assigned it was killed before', async () => {
    const [container] = await untilReady()
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    const killed = { ...fleet.queues, send: () => Promise.reject(new Error('killed')) }
    await expect(fleet.consume(body, { ...fleet.consumer, queues: killed })).rejects.toThrow(
      'killed',
    )
    await fleet.consume(body)
    expect((await fleet.untilRunning(agent)).taskArn).toBe(container?.taskArn)
    expect(await fleet.wantedTasks(agent)).toEqual([])
  })

  it('is not given to agents with another image, nor if AWS stops it', async () => {
    const [container] = await untilReady()
    const bot = await fleet.untilRunning(await fleet.started({ discordBotToken: 'a-token' }))
    const other = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    const image = { ...fleet.consumer.config, AGENT_IMAGE: otherImage }
    await fleet.consume(body, { ...fleet.consumer, config: image })
    await fleet.untilRunning(other)
    for (const agent of [bot, other]) expect(await fleet.wantedTasks(agent)).toHaveLength(1)
    expect(await waiting()).toMatchObject([{ id: container?.id }])
  })

  it('is taken if only the time of its poll changed since it was read', async () => {
    const [container] = await untilReady()
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    const { table } = fleet
    const query: typeof table.query = async (asked) => {
      const found = await table.query(asked)
      const task = await fleet.containers.describe(String(container?.taskArn))
      if (asked.pk.startsWith('warm-pool#') && task !== undefined)
        await observeWarm(table, String(container?.id), { ...task, version: task.version + 1 })
      return found
    }
    await fleet.consume(body, { ...fleet.consumer, table: { ...table, query } })
    expect((await fleet.row(agent)).taskArn).toBe(container?.taskArn)
    expect(await fleet.wantedTasks(agent)).toEqual([])
    await fleet.untilRunning(agent)
  })

  it('is counted as hit or miss by each start that may take one, once', async () => {
    const counted: unknown[] = []
    const info: Log['info'] = (_message, _fields, metrics) => {
      if (metrics?.of['WarmStarts']) counted.push(metrics.of['WarmStarts'][0])
    }
    const log = { ...fleet.consumer.log, info }
    const deliver = async () => {
      const starts = fleet.sent.splice(0).filter(({ body }) => body['kind'] === 'start')
      expect(starts).toHaveLength(1)
      for (const { body } of starts) await fleet.consume(body, { ...fleet.consumer, log })
    }
    await untilReady()
    await fleet.started({ discordBotToken: 'a-token' })
    await deliver()
    expect(counted).toEqual([])
    await fleet.started()
    await deliver()
    expect(counted).toEqual([1])
    // It finds no container and no Spot capacity, and is delivered again.
    fleet.room.spot = false
    await fleet.started()
    await deliver()
    await deliver()
    expect(counted).toEqual([1, 0])
    fleet.forget()
  })

  it('a container of the pool that exits while it waits is given to no agent, and is replaced', async () => {
    const [container] = await untilReady()
    await fleet.containers.stop(String(container?.taskArn), 'AWS takes it back')
    await eventually(async () => {
      await fleet.deliver()
      expect(await waiting()).toEqual([])
    })
    const [next] = await untilReady()
    expect(next?.taskArn).not.toBe(container?.taskArn)
  })
})

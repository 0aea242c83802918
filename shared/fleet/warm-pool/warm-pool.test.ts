import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventually, untilFound } from '../../../tests/support/eventually.ts'
import { type Fleet, otherImage, startFleet } from '../../../tests/support/fleet.ts'
import type { Agent } from '../../agents/agent.ts'
import { pastTask } from '../../agents/past-tasks.ts'
import { taskPages } from '../../platform/containers/all-tasks.ts'
import type { RunRequest } from '../../platform/containers/port.ts'
import { createLog } from '../../platform/log.ts'
import { deleteAgent } from '../delete.ts'
import { stopAgent } from '../lifecycle/stop.ts'
import { sweepOrphans } from '../orphans/sweep.ts'
import type { WarmContainer } from './rows.ts'
import { waitingContainers } from './waiting.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet({ settings: { WARM_CONTAINERS: 'label=1,solo=1' } })
})
afterAll(() => fleet.close())
afterEach(async () => {
  await fleet.keepWarm({ WARM_CONTAINERS: undefined })
  await eventually(async () => {
    await fleet.deliver()
    expect(await waiting()).toEqual([])
  })
})

const waiting = () => waitingContainers(fleet.table, 'label')
const isThere = ({ by, address }: WarmContainer) => by !== undefined && address !== undefined

/** So many containers that an agent can take. */
async function untilReady(count = 1): Promise<WarmContainer[]> {
  await fleet.keepWarm({ WARM_CONTAINERS: { label: count } })
  return untilFound(async () => {
    await fleet.deliver()
    const ready = (await waiting()).filter(isThere)
    return ready.length === count && ready
  })
}

const statusOf = async (arn: string | undefined) =>
  (await fleet.containers.describe(String(arn)))?.status

describe('a container of the pool', () => {
  it('becomes that of the agent that starts next, which is told what it runs by there', async () => {
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

  it('ends with its agent, and its end is noted as the agent’s', async () => {
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

  it('is one agent’s alone where several start at once, and each message comes twice', async () => {
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

  it('is its agent’s only one where the same start finds it and finds none at once', async () => {
    const [container] = await untilReady()
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    const { table } = fleet
    // The other delivery does all of its work between this one's looking for a container and its start of a task.
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

  it('is not taken by a start that has begun a task of its own', async () => {
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

  it('is told again where the process that gave it to an agent died before it could', async () => {
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

  it('is not given to agents that want another image, or a container that AWS does not take back', async () => {
    const [container] = await untilReady()
    const bot = await fleet.untilRunning(await fleet.started({ telegramToken: '1:abc' }))
    const other = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    const image = { ...fleet.consumer.config, AGENT_IMAGE: otherImage }
    await fleet.consume(body, { ...fleet.consumer, config: image })
    await fleet.untilRunning(other)
    for (const agent of [bot, other]) expect(await fleet.wantedTasks(agent)).toHaveLength(1)
    expect(await waiting()).toMatchObject([{ id: container?.id }])
  })

  it('that ends while it waits is given to nobody, and is replaced', async () => {
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

describe('the pool', () => {
  it('is as large as it is to be, however often it is looked at', async () => {
    const first = await untilReady(2)
    expect(await fleet.keepWarm({ WARM_CONTAINERS: { label: 2 } })).toMatchObject({
      waiting: 2,
      started: 0,
      dropped: 0,
    })
    expect(await fleet.keepWarm({ WARM_CONTAINERS: { label: 1 } })).toMatchObject({ dropped: 1 })
    const [kept] = await waiting()
    // The oldest goes first.
    expect(kept?.id).toBe(first[1]?.id)
    await eventually(async () => expect(await statusOf(first[0]?.taskArn)).toBe('STOPPED'))
    expect(await statusOf(kept?.taskArn)).toBe('RUNNING')
  })

  it('is renewed for another image and after a day, and starts nothing while starts are switched off', async () => {
    const [old] = await untilReady()
    const sizes = { WARM_CONTAINERS: { label: 1 } }
    await fleet.keepWarm({ ...sizes, AGENT_IMAGE: otherImage, KILL_SWITCH: true })
    expect(await waiting()).toEqual([])
    await eventually(async () => expect(await statusOf(old?.taskArn)).toBe('STOPPED'))
    const [next] = await untilReady()
    const tomorrow = Date.now() + 25 * 3_600_000
    expect(await fleet.keepWarm({ ...sizes, KILL_SWITCH: true }, tomorrow)).toMatchObject({
      dropped: 1,
      started: 0,
    })
    await eventually(async () => expect(await statusOf(next?.taskArn)).toBe('STOPPED'))
  })

  it('starts a container that ends by itself no more often than every ten minutes', async () => {
    const sizes = { WARM_CONTAINERS: { label: 1 } }
    // As one of an image that does not know how to wait.
    const run = (request: RunRequest) =>
      fleet.containers.run({ ...request, environment: { AGENT_BOOTSTRAP_TOKEN: 'none' } })
    await fleet.keepWarm(sizes, undefined, { ...fleet.containers, run })
    const [broken] = await waiting()
    await eventually(async () => {
      await fleet.deliver()
      expect(await statusOf(broken?.taskArn)).toBe('STOPPED')
      expect((await waiting())[0]?.address).toBeUndefined()
    })
    expect(await fleet.keepWarm(sizes)).toMatchObject({ started: 0, dropped: 0 })
    const later = Date.now() + 11 * 60_000
    expect(await fleet.keepWarm(sizes, later)).toMatchObject({ started: 1, dropped: 1 })
  })

  it('has one task a row, wherever the process that starts them dies', async () => {
    const sizes = { WARM_CONTAINERS: { label: 1 } }
    const { containers } = fleet
    const die = async () => Promise.reject(new Error('killed'))
    const ctx = (run: (request: RunRequest) => Promise<never>) => ({ ...containers, run })
    await expect(fleet.keepWarm(sizes, undefined, ctx(die))).rejects.toThrow('killed')
    const afterwards = async (request: RunRequest) => {
      await containers.run(request)
      throw new Error('killed')
    }
    await expect(fleet.keepWarm(sizes, undefined, ctx(afterwards))).rejects.toThrow('killed')
    expect(await waiting()).toHaveLength(1)
    const [container] = await untilReady()
    expect(await containers.list(String(container?.id))).toEqual([container?.taskArn])
    expect(await waiting()).toHaveLength(1)
  })

  it('goes on where a plan finds no room, and is filled once there is some', async () => {
    fleet.room.tasks = 0
    expect(await fleet.keepWarm()).toMatchObject({ started: 0 })
    fleet.room.tasks = Infinity
    expect(await fleet.keepWarm()).toMatchObject({ waiting: 2, started: 2 })
  })

  it('is no concern of the sweep, but for a container that no row knows', async () => {
    const { services, table, queues, endpoint, containers } = fleet
    const [container] = await untilReady()
    const taken = await fleet.untilRunning(await fleet.started({ sleepAfterMinutes: null }))
    await untilReady()
    const unknown = 'wrm_00000000000000000000000000'
    const { arn } = await containers.run({
      clientToken: unknown,
      startedBy: unknown,
      family: 'agent-label',
      environment: {},
      tags: {},
    })
    const sweepAt = (hours: number) =>
      sweepOrphans(
        { ...services, table, queues, tasks: taskPages('fleet', endpoint), log: createLog() },
        Date.now() + hours * 3_600_000,
      )
    await sweepAt(1)
    expect(await sweepAt(2)).toMatchObject({ orphans: 1, stopped: 1 })
    await eventually(async () => {
      await fleet.deliver()
      expect(await statusOf(arn)).toBe('STOPPED')
    })
    expect(taken.taskArn).toBe(container?.taskArn)
    expect(await statusOf(taken.taskArn)).toBe('RUNNING')
  })
})

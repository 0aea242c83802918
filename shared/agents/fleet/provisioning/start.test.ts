import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { agentKeyIdentity } from '#shared/agents/record/ai-key.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { maxCharacters, setCredential } from '#shared/agents/record/credentials/set.ts'
import { missing } from '#shared/agents/record/watch/missing.ts'
import type { RunRequest } from '#shared/platform/containers/port.ts'
import { type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import { watched } from '#tests/support/agents/watched-fleet.ts'
import { startAgent } from '../lifecycle/start.ts'
import { stopAgent } from '../lifecycle/stop.ts'
import { capacityDelay } from '../states/await-room.ts'
import { reconcile } from '../watchdog/reconcile.ts'
import { runRequest } from './request.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())
beforeEach(() => fleet.forget())

/** A consumer that dies after ECS has accepted its task. */
const dying = () => ({
  ...fleet.consumer,
  containers: {
    ...fleet.containers,
    run: async (request: RunRequest) => {
      await fleet.containers.run(request)
      throw new Error('killed')
    },
  },
})

describe('a start', () => {
  it('gives the agent a container with its own secrets, and writes no secret to the table', async () => {
    const agent = await fleet.untilRunning(
      await fleet.started({ model: 'local/echo', systemPrompt: 'Be brief.' }),
    )
    const environment = await fleet.environmentOf(agent)
    expect(environment).toMatchObject({
      AGENT_ID: agent.id,
      AGENT_GENERATION: '1',
      AGENT_NAME: 'Ada',
      AI_BASE_URL: `${fleet.consumer.config.BACKEND_URL}/v1`,
      AI_MODEL: 'local/echo',
      SYSTEM_PROMPT: 'Be brief.',
      AI_API_KEY: expect.stringMatching(
        new RegExp(`^ak_[0-9a-f]{64}\\.${agent.id}\\.${agent.userId}$`),
      ),
    })
    const identity = await agentKeyIdentity(fleet.table)(String(environment.AI_API_KEY))
    expect(identity).toMatchObject({ agentId: agent.id, userId: agent.userId })
    const stored = JSON.stringify(agent)
    for (const secret of [environment.AI_API_KEY, environment.GATEWAY_TOKEN])
      expect(stored).not.toContain(secret)
    expect(JSON.stringify(environment)).not.toContain('long enough for the tests')
  })

  it('fits into the limits of ECS, even with the largest config', async () => {
    const token = 'a'.repeat(256)
    const agent = await fleet.started({
      model: 'm'.repeat(200),
      systemPrompt: '\n'.repeat(2000),
      telegramToken: token,
      discordBotToken: token,
      whatsappToken: token,
    })
    const encryptionKey = fleet.services.config.WALLET_ENCRYPTION_KEY
    const value = 'v'.repeat(maxCharacters - JSON.stringify({ name: 'KEY', value: '' }).length - 1)
    await setCredential({ ...fleet.services, encryptionKey }, { agent, key: 'KEY', value })
    const running = await fleet.untilRunning(agent)
    const { environment } = await runRequest(fleet.consumer, running)
    const variables = Object.entries(environment).map(([name, text]) => ({ name, value: text }))
    const overrides = { containerOverrides: [{ name: 'agent', environment: variables }] }
    // Real user ids, names and addresses can be some hundred characters longer.
    expect(JSON.stringify(overrides).length).toBeLessThan(8192 - 300)
    expect(await fleet.environmentOf(running)).toMatchObject({ WHATSAPP_TOKEN: token })
    expect(await fleet.credentialsOf(running)).toEqual({ KEY: value })
  })

  it('has a larger disk for large files', async () => {
    const disks: (number | undefined)[] = []
    const containers = {
      ...fleet.containers,
      run: (request: RunRequest) => {
        disks.push(request.diskGb)
        return fleet.containers.run(request)
      },
    }
    for (const size of [undefined, 21, 200]) {
      const agent = await fleet.started()
      const { body } = fleet.sent.splice(0)[0]!
      await fleet.consume(body, { ...fleet.consumer, containers, diskGb: async () => size })
      expect(await fleet.wantedTasks(agent)).toHaveLength(1)
    }
    expect(disks).toEqual([undefined, 21, 200])
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    const tooLarge = { ...fleet.consumer, diskGb: async () => 201 }
    await fleet.consume(body, tooLarge)
    expect(await fleet.wantedTasks(agent)).toEqual([])
  })

  it('runs once under repeated and concurrent messages', async () => {
    const agent = await fleet.started()
    const { body } = fleet.sent[0]!
    await Promise.all(Array.from({ length: 8 }, () => fleet.consume(body)))
    expect(await fleet.wantedTasks(agent)).toHaveLength(1)
    await fleet.untilRunning(agent)
    await fleet.consume(body)
    expect(await fleet.wantedTasks(agent)).toHaveLength(1)
  })

  it('a start whose consumer is killed before it recorded the task finds that task again', async () => {
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    await expect(fleet.consume(body, dying())).rejects.toThrow('killed')
    expect((await fleet.row(agent)).taskArn).toBeUndefined()
    fleet.events.length = 0
    await fleet.consume(body)
    const [arn] = await fleet.wantedTasks(agent)
    expect((await fleet.row(agent)).taskArn).toBe(arn)
    expect(await fleet.wantedTasks(agent)).toHaveLength(1)
  })

  it('a start whose consumer is killed before it recorded the task, and never retried, is recorded by the task’s events', async () => {
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    await expect(fleet.consume(body, dying())).rejects.toThrow('killed')
    const { taskArn } = await fleet.untilRunning(agent)
    expect([taskArn]).toEqual(await fleet.wantedTasks(agent))
  })

  it('a start whose message is lost is enqueued again, but not before its time', async () => {
    const agent = await fleet.started()
    fleet.sent.length = 0
    const now = Date.parse(agent.updatedAt)
    expect(
      await reconcile({ ...fleet.services, queues: fleet.queues }, agent, now + 5000),
    ).toBeUndefined()
    expect(fleet.sent).toEqual([])
    expect(await reconcile({ ...fleet.services, queues: fleet.queues }, agent, now + 60_000)).toBe(
      'start',
    )
    await fleet.untilRunning(agent)
  })

  it('a start that is no longer wanted is skipped', async () => {
    const agent = await fleet.started()
    await stopAgent(fleet.services, { agent })
    await fleet.deliver()
    expect(await fleet.wantedTasks(agent)).toEqual([])
    expect(await fleet.row(agent)).toMatchObject({ status: 'stopped', desired: 'stopped' })
    expect((await fleet.row(agent)).aiKeyHash).toBeUndefined()
  })

  it('a start that is cancelled while its task is created leaves no task', async () => {
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    const run = async (request: RunRequest) => {
      const task = await fleet.containers.run(request)
      await stopAgent(fleet.services, { agent: await fleet.row(agent) })
      return task
    }
    await fleet.consume(body, { ...fleet.consumer, containers: { ...fleet.containers, run } })
    expect(await fleet.wantedTasks(agent)).toEqual([])
    await fleet.until(agent, (row) => row.taskStatus === 'STOPPED')
    expect((await fleet.row(agent)).status).toBe('stopped')
  })

  it('waits while provisioning is switched off', async () => {
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    const off = { ...fleet.consumer, config: { ...fleet.consumer.config, KILL_SWITCH: true } }
    await fleet.consume(body, off)
    expect(await fleet.wantedTasks(agent)).toEqual([])
    expect(missing(await fleet.row(agent), Date.now() + 60_000)).toBe('start')
  })
})

describe('a cluster without room', () => {
  it('is retried after increasing delays, by one message at a time', async () => {
    fleet.room.tasks = 0
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    await fleet.consume(body)
    expect(fleet.sent.splice(0)).toMatchObject([{ delaySeconds: 0, body }])
    // There is no On-Demand capacity either.
    await fleet.consume(body)
    expect(fleet.sent.splice(0)).toMatchObject([{ delaySeconds: capacityDelay(agent.id, 1), body }])
    const row = await fleet.row(agent)
    expect(row).toMatchObject({ status: 'provisioning', startAttempts: 1 })
    // An early repeat changes nothing and sends nothing.
    await fleet.consume(body)
    expect(fleet.sent).toEqual([])
    const { retryAt = 0 } = row
    expect(missing(row, retryAt + 29_000)).toBeUndefined()
    expect(missing(row, retryAt + 30_000)).toBe('start')
  })

  it('starts the agent once it has room', async () => {
    fleet.room.tasks = 0
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    await fleet.consume(body)
    fleet.room.tasks = Infinity
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 })
    try {
      await fleet.consume(body)
    } finally {
      vi.useRealTimers()
    }
    const running = await fleet.untilRunning(agent)
    expect(running).toMatchObject({ status: 'running' })
    expect(running.startAttempts).toBeUndefined()
  })
})

describe('a start that can never succeed', () => {
  it('fails with the reason, and only a person can retry it', async () => {
    const agent = await fleet.started({ plan: 'network' })
    await fleet.deliver()
    const row = await fleet.row(agent)
    expect(row).toMatchObject({
      status: 'error',
      desired: 'stopped',
      stopReason: { code: 'StartRefused', text: expect.stringContaining('agent-network') },
    })
    expect(row.aiKeyHash).toBeUndefined()
    expect(missing(row, Date.now() + 600_000)).toBeUndefined()
    await watched(fleet).look(agent, 60)
    const cause = expect.stringContaining('agent-network')
    expect(await fleet.row(agent)).toMatchObject({
      status: 'error',
      watchdog: { state: 'stopped', dueAt: null, incidents: [{ cause, resolvedAt: null }] },
    })
    expect(await startAgent(fleet.services, { agent: row })).toMatchObject({
      status: 'provisioning',
      generation: 2,
      watchdog: { state: 'starting', incidents: [{ resolvedAt: expect.any(String) }] },
    })
    fleet.sent.length = 0
  })

  it('a start of a repair that can never succeed fails that repair, and the agent is given up after the last one', async () => {
    const world = watched(fleet)
    const isWell = ({ watchdog }: Agent) => watchdog.state === 'running'
    const agent = await world.until(await fleet.started(), isWell)
    await changeAgent(fleet, { agent, decide: (row) => ({ ...row, plan: 'network' }) })
    await fetch(`http://127.0.0.1:${agent.address?.port}/exit?code=7`).catch(() => undefined)

    const refused = (generation: number) => (row: Agent) =>
      row.generation === generation && row.taskStatus === 'STOPPED'
    // The agent's page shows an agent under repair, not one that waits for a person.
    expect(await world.until(agent, refused(2))).toMatchObject({
      desired: 'running',
      watchdog: { state: 'repairing', attempts: 1 },
    })
    await world.look(agent, 60)
    await world.until(agent, refused(3))
    await world.look(agent, 60)
    const input = await fleet.row(agent)
    expect(input).toMatchObject({
      status: 'error',
      desired: 'stopped',
      generation: 3,
      stopReason: { code: 'StartRefused', text: expect.stringContaining('agent-network') },
      watchdog: { state: 'crash_loop', incidents: [{ step: 'crash_loop', attempt: 2 }] },
    })
    for (let n = 0; n < 3; n++) await world.look(agent, 300)
    expect((await fleet.row(agent)).generation).toBe(3)
  })
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startAgent } from '#shared/agents/fleet/lifecycle/start.ts'
import { stopAgent } from '#shared/agents/fleet/lifecycle/stop.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import type { SimulatedFaults } from '#stacks/local/containers/engine.ts'
import { eventually } from '../support/clock/eventually.ts'
import { killProcessesOf, processesOf } from '../support/stack/processes.ts'
import { makeSubject, type Subject } from './world/agents.ts'
import { randomFrom } from './world/random.ts'
import { settle } from './world/settle.ts'
import { startWorld, type World } from './world/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld(randomFrom(1))
  await world.calm()
})
afterAll(() => world[Symbol.asyncDispose]())

const stepSeconds = 30

async function row({ userId, id: agentId }: Subject): Promise<Agent> {
  const found = await readAgent(world.table, { userId, agentId })
  if (found === undefined) throw new Error('the agent is gone')
  return found
}

async function startOne(): Promise<Subject> {
  const subject = await makeSubject(world, {})
  await startAgent(world.newProcess().services, { agent: await row(subject) })
  return subject
}

async function deliverAll(): Promise<void> {
  for (let n = 0; n < 1000 && (await world.deliver()); n++);
}

/** Advances the clock by minutes and handles all messages. If a message fails, the test fails. */
async function minutes(count: number, { answers = true } = {}): Promise<void> {
  for (let left = count * 60; left > 0; left -= stepSeconds) {
    await world.pass(stepSeconds)
    await deliverAll()
    if (answers && (await world.host.tasks()).length > 0) await world.untilQuiet()
  }
}

const pull = 'CannotPullContainerError: pull image manifest has been retried 5 time(s): '
const troubles: [string, SimulatedFaults][] = [
  [
    'no address',
    {
      refusal:
        'Unexpected EC2 error while attempting to Create Network Interface: InsufficientFreeAddressesInSubnet',
    },
  ],
  [
    'no network interface',
    { refusal: 'Timeout waiting for network interface provisioning to complete.' },
  ],
  [
    'a registry that fails',
    {
      refusal: `${pull}failed to resolve ref registry.example/agent:1: unexpected status code 503 Service Unavailable`,
    },
  ],
  [
    'resources that cannot be initialized',
    { refusal: 'ResourceInitializationError: failed to validate logger args: signal: killed' },
  ],
]

it.each(troubles)(
  'half an hour of %s is not a crash, and the agents run within five minutes after it',
  async (_, trouble) => {
    const crashed = await startOne()
    await settle(world, [crashed])
    await world.host.suffer(trouble)
    const fresh = await startOne()
    await killProcessesOf(world.dir, crashed.id)
    await minutes(30)
    for (const subject of [fresh, crashed]) {
      const waiting = await row(subject)
      expect(waiting).toMatchObject({
        status: 'provisioning',
        desired: 'running',
        stopReason: { code: 'NoCapacity', text: expect.stringContaining(trouble.refusal ?? '') },
      })
      expect(waiting.watchdog.state).toBe(subject === fresh ? 'starting' : 'repairing')
      expect(waiting.watchdog.attempts).toBe(subject === fresh ? 0 : 1)
      expect(processesOf(world.dir, subject.id)).toEqual([])
    }
    expect((await row(fresh)).watchdog.incidents).toEqual([])

    await world.host.suffer({})
    await minutes(5)
    for (const subject of [fresh, crashed]) {
      expect(await row(subject)).toMatchObject({ status: 'running' })
      expect(processesOf(world.dir, subject.id)).toHaveLength(1)
    }
  },
)

it('work for a host that rejects requests is postponed until it accepts some', async () => {
  const [crashed, unwanted] = [await startOne(), await startOne()]
  await settle(world, [crashed, unwanted])
  await killProcessesOf(world.dir, crashed.id)
  await eventually(async () => {
    await deliverAll()
    expect((await row(crashed)).watchdog.state).toBe('repairing')
  })
  await world.host.suffer({ throttled: true })
  const fresh = await startOne()
  await stopAgent(world.newProcess().services, { agent: await row(unwanted) })
  // A message without a delay would fail here, and be dead after its last attempt.
  await minutes(0.5, { answers: false })
  for (const subject of [fresh, crashed])
    expect(await row(subject)).toMatchObject({
      status: 'provisioning',
      desired: 'running',
      stopReason: { code: 'NoCapacity', text: expect.stringContaining('Rate exceeded') },
    })
  expect((await row(crashed)).watchdog).toMatchObject({ state: 'repairing', attempts: 1 })
  expect(processesOf(world.dir, unwanted.id)).toHaveLength(1)

  await world.host.suffer({})
  await minutes(5)
  for (const subject of [fresh, crashed]) {
    expect(await row(subject)).toMatchObject({ status: 'running', watchdog: { state: 'running' } })
    expect(processesOf(world.dir, subject.id)).toHaveLength(1)
  }
  expect(await row(unwanted)).toMatchObject({ status: 'stopped', taskStatus: 'STOPPED' })
  expect(processesOf(world.dir, unwanted.id)).toEqual([])
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import type { RunRequest } from '#shared/platform/containers/port.ts'
import { type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import { restartAgent } from '../lifecycle/restart.ts'
import { runRequest } from './request.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())
beforeEach(() => fleet.forget())

describe('spare capacity', () => {
  const capacityOf = async (agent: Agent) => {
    const shown = await fleet.shownOf(await fleet.row(agent))
    expect(shown).toHaveLength(1)
    return shown?.[0]?.capacityProviderName
  }

  it('runs the containers of small plans', async () => {
    const agent = await fleet.untilRunning(await fleet.started())
    expect(await capacityOf(agent)).toBe('FARGATE_SPOT')
  })

  it('is not requested by larger plans, nor by agents whose containers run bots', async () => {
    const spotOf = async (agent: Agent) => (await runRequest(fleet.consumer, agent)).spot
    expect(await spotOf(await fleet.started())).toBe(true)
    for (const plan of ['collective', 'network'] as const)
      expect(await spotOf(await fleet.started({ plan }))).toBe(false)
    const bot = await fleet.untilRunning(await fleet.started({ discordBotToken: 'a-token' }))
    expect(await capacityOf(bot)).toBeUndefined()
  })

  it('spare capacity that is missing starts the agent at the full price at once, and is requested again by the next start', async () => {
    fleet.room.spot = false
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    await fleet.consume(body)
    expect(fleet.sent).toMatchObject([{ delaySeconds: 0, body }])
    const running = await fleet.untilRunning(agent)
    expect(await capacityOf(agent)).toBeUndefined()
    expect(running).toMatchObject({ status: 'running', generation: 1 })
    expect(running.startAttempts).toBeUndefined()

    fleet.room.spot = true
    await restartAgent(fleet.services, { agent: running, reason: 'restart' })
    await fleet.until(agent, (row) => row.generation === 2 && row.status === 'running')
    expect(await capacityOf(agent)).toBe('FARGATE_SPOT')
  })

  it('spare capacity that is missing is reported twice by a repeated message, and one task starts', async () => {
    fleet.room.spot = false
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    await Promise.all([fleet.consume(body), fleet.consume(body)])
    await Promise.all(
      [body, ...fleet.sent.splice(0).map((one) => one.body)].map((one) => fleet.consume(one)),
    )
    expect(await fleet.wantedTasks(agent)).toHaveLength(1)
    await fleet.untilRunning(agent)
  })

  it('spare capacity whose lack a killed consumer has recorded is not requested again by the redelivered message', async () => {
    fleet.room.spot = false
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    const killed = { ...fleet.queues, send: () => Promise.reject(new Error('killed')) }
    const dead = fleet.consume(body, { ...fleet.consumer, queues: killed })
    await expect(dead).rejects.toThrow('killed')
    fleet.room.spot = true
    await fleet.consume(body)
    await fleet.untilRunning(agent)
    expect(await fleet.wantedTasks(agent)).toHaveLength(1)
    expect(await capacityOf(agent)).toBeUndefined()
  })

  it('spare capacity that returns while the agent starts at the full price does not start a second task', async () => {
    fleet.room.spot = false
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    const run = async (request: RunRequest) => {
      // Another consumer handles the same message completely between this consumer's read and its request.
      await fleet.consume(body)
      await fleet.consume(body)
      fleet.room.spot = true
      return fleet.containers.run(request)
    }
    await fleet.consume(body, { ...fleet.consumer, containers: { ...fleet.containers, run } })
    expect(await fleet.wantedTasks(agent)).toHaveLength(1)
    expect(await capacityOf(agent)).toBeUndefined()
    await fleet.untilRunning(agent)
  })

  it('spare capacity that returns after a kill before the task is recorded does not start a second task', async () => {
    fleet.room.spot = false
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    const run = async (request: RunRequest) => {
      // The other delivery records the lack of capacity; then this one finds capacity, and dies.
      await fleet.consume(body)
      fleet.room.spot = true
      await fleet.containers.run(request)
      throw new Error('killed')
    }
    const dead = fleet.consume(body, {
      ...fleet.consumer,
      containers: { ...fleet.containers, run },
    })
    await expect(dead).rejects.toThrow('killed')
    const next = fleet.sent.splice(0).map((one) => one.body)
    for (const one of [...next, body]) await fleet.consume(one)
    expect(await fleet.wantedTasks(agent)).toHaveLength(1)
    await fleet.untilRunning(agent)
    expect(await fleet.wantedTasks(agent)).toHaveLength(1)
    expect(await capacityOf(agent)).toBe('FARGATE_SPOT')
  })
})

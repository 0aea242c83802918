import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { agentKeyIdentity } from '#shared/agents/record/ai-key.ts'
import { missing } from '#shared/agents/record/watch/missing.ts'
import { type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import { restartAgent } from '../lifecycle/restart.ts'
import { startAgent } from '../lifecycle/start.ts'
import { stopAgent } from '../lifecycle/stop.ts'
import { reconcile } from '../watchdog/reconcile.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())
beforeEach(() => fleet.forget())

describe('a restart', () => {
  it('waits for the earlier task to end, and revokes its key at once', async () => {
    const first = await fleet.untilRunning(await fleet.started())
    const { AI_API_KEY } = await fleet.environmentOf(first)
    await restartAgent(fleet.services, { agent: first, reason: 'restart' })
    expect(await agentKeyIdentity(fleet.table)(String(AI_API_KEY))).toBeUndefined()
    const { body } = fleet.sent.splice(0)[0]!
    await fleet.consume(body)
    expect(await fleet.wantedTasks(first)).toEqual([])
    expect(fleet.sent).toMatchObject([{ body, delaySeconds: 15 }])
    const second = await fleet.untilRunning(first)
    expect(second.generation).toBe(2)
    expect(second.taskArn).not.toBe(first.taskArn)
    expect(await fleet.wantedTasks(first)).toEqual([second.taskArn])
  })

  it('runs once for two concurrent requests', async () => {
    const agent = await fleet.untilRunning(await fleet.started())
    const twice = [1, 2].map(() => restartAgent(fleet.services, { agent, reason: 'restart' }))
    expect((await Promise.all(twice)).map(({ generation }) => generation)).toEqual([2, 2])
    expect((await fleet.untilRunning(agent)).generation).toBe(2)
    expect(await fleet.wantedTasks(agent)).toHaveLength(1)
  })

  it('a restart that is cancelled before it began still stops the earlier task', async () => {
    const agent = await fleet.untilRunning(await fleet.started())
    await stopAgent(fleet.services, {
      agent: await restartAgent(fleet.services, { agent, reason: 'restart' }),
    })
    await fleet.until(agent, (row) => row.previousTaskArn === undefined)
    expect(await fleet.wantedTasks(agent)).toEqual([])
    expect((await fleet.row(agent)).status).toBe('stopped')
  })
})

describe('a stop', () => {
  it('a stop whose message is lost is enqueued again', async () => {
    const agent = await fleet.untilRunning(await fleet.started())
    const stopped = await stopAgent(fleet.services, { agent })
    fleet.sent.length = 0
    expect(await fleet.wantedTasks(agent)).toHaveLength(1)
    expect(
      await reconcile({ ...fleet.services, queues: fleet.queues }, stopped, Date.now() + 60_000),
    ).toBe('stop')
    await fleet.until(agent, (row) => row.taskStatus === 'STOPPED')
    expect(await fleet.wantedTasks(agent)).toEqual([])
    expect(missing(await fleet.row(agent), Date.now() + 600_000)).toBeUndefined()
  })

  it('a stop of a task that ECS has forgotten is recorded, so that the watchdog stops its requests', async () => {
    const agent = await fleet.untilRunning(await fleet.started())
    const stopped = await stopAgent(fleet.services, { agent })
    const forgetful = {
      ...fleet.consumer,
      containers: { ...fleet.containers, stop: async () => undefined },
    }
    await fleet.consume(fleet.sent.splice(0)[0]?.body, forgetful)
    const row = await fleet.row(agent)
    expect(row.taskStatus).toBe('STOPPED')
    expect(missing(row, Date.now() + 600_000)).toBeUndefined()
    await fleet.containers.stop(String(stopped.taskArn), 'the end of the test')
  })

  it('a stop that is late does not affect the task of a later start', async () => {
    const agent = await fleet.untilRunning(await fleet.started())
    const stopped = await stopAgent(fleet.services, { agent })
    const [late] = fleet.sent.splice(0)
    await startAgent(fleet.services, { agent: stopped })
    const again = await fleet.untilRunning(agent)
    await fleet.consume(late?.body)
    await fleet.deliver()
    expect(await fleet.wantedTasks(agent)).toEqual([again.taskArn])
  })
})

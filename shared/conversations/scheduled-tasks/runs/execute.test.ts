import { describe, expect, it, vi } from 'vitest'
import { PlatformError } from '#shared/platform/errors.ts'
import { useScheduled } from '#tests/support/conversations/scheduled.ts'
import { Killed, killedProcess } from '#tests/support/platform/killed-process.ts'
import { deleteTask } from '../delete.ts'
import { placesPerUser } from './places.ts'
import { startSeconds } from './run.ts'
import type { RunRef } from './topic.ts'

const on = useScheduled()

describe('a run', () => {
  it('a run whose message is delivered twice concurrently starts once', async () => {
    const world = await on.scheduled()
    world.wait(60)
    await world.tick()
    const [run] = world.sent as [RunRef]
    await Promise.all(Array.from({ length: 4 }, () => world.consume(run)))
    expect(world.asked).toHaveLength(1)
  })

  it('stores the reason of its failure', async () => {
    const world = await on.scheduled()
    world.wait(60)
    await world.tick()
    await world.deliver(new PlatformError('bad-gateway', 'The agent cannot be reached'))
    expect(await world.task()).toMatchObject({ lastStatus: 'failed: The agent cannot be reached' })
  })

  it('waits for a starting agent, up to a limit', async () => {
    const world = await on.scheduled('provisioning')
    world.wait(60)
    await world.tick()
    await world.deliver()
    expect(world.asked).toEqual([])
    world.wait(120)
    expect(await world.tick()).toEqual({ sent: 1 })
    await world.deliver()
    world.wait(startSeconds)
    await world.tick()
    expect(world.asked).toEqual([])
    expect((await world.runs())[0]).toMatchObject({ state: 'failed' })
    expect((await world.task()).activeRun).not.toBe((await world.runs())[0]?.due)
  })

  it('waits while too many others of the same user are running, and then starts', async () => {
    const world = await on.scheduled()
    for (let i = 0; i < placesPerUser + 2; i++) await world.addTask()
    world.wait(60)
    await world.tick()
    const gate = Promise.withResolvers<void>()
    world.answer = () => gate.promise
    const early = world.sent.splice(0, placesPerUser + 1).map((run) => world.consume(run))
    await vi.waitUntil(() => world.asked.length === placesPerUser, { timeout: 30_000 })
    await world.deliver()
    expect(world.asked).toHaveLength(placesPerUser)

    gate.resolve()
    await Promise.all(early)
    world.wait(60)
    expect(await world.tick()).toEqual({ sent: 3 })
    await world.deliver()
    expect(new Set(world.asked).size).toBe(placesPerUser + 3)
    const states = (await world.runs()).map(({ state }) => state)
    expect(states).toEqual(Array.from({ length: placesPerUser + 3 }, () => 'ok'))
  })

  it('waits if the owner’s limit of awake agents is reached', async () => {
    const world = await on.scheduled('stopped')
    const key = `agent#${world.agent.id}`
    await world.store.update(key, { set: { asleep: true } })
    world.wake = async () => {
      throw new PlatformError('payment-required', 'Full', { code: 'AWAKE_LIMIT_REACHED' })
    }
    world.wait(60)
    await world.tick()
    await world.deliver()
    expect(world.asked).toEqual([])
    expect(await world.runs()).toMatchObject([{ state: 'waiting' }])
    world.wake = async () => {}
    world.wait(60)
    await world.tick()
    await world.deliver()
    expect(await world.runs()).toMatchObject([{ state: 'ok' }])
    expect(world.asked).toHaveLength(1)
  })

  it('a run of a deleted task ends', async () => {
    const world = await on.scheduled()
    world.wait(60)
    await world.tick()
    const { id } = await world.task()
    await deleteTask(world.ctx, { taskId: id })
    await world.deliver()
    expect(world.asked).toEqual([])
    expect(await world.runs()).toMatchObject([{ state: 'failed', reason: 'the task was deleted' }])
  })

  it('a run of a deleted agent deletes the agent’s tasks', async () => {
    const world = await on.scheduled()
    world.wait(60)
    await world.tick()
    await world.store.delete(`agent#${world.agent.id}`)
    await world.deliver()
    await expect(world.task()).rejects.toThrow('Task not found')
  })

  it('a run whose job was killed in the middle is marked as interrupted, and not started again', async () => {
    const world = await on.scheduled()
    world.wait(60)
    await world.tick()
    const dying = killedProcess({ calls: 5 }).reach(on.table)
    await expect(world.consume(world.sent[0]!, dying)).rejects.toThrow(Killed)
    expect(world.asked).toHaveLength(1)
    world.wait(240)
    await world.deliver()
    expect(world.asked).toHaveLength(1)
    world.wait(900)
    await world.tick()
    const [run] = await world.runs()
    expect(run).toMatchObject({ state: 'failed', reason: 'it was interrupted' })
    expect((await world.task()).activeRun).not.toBe(run!.due)
  })
})

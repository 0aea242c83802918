import { describe, expect, it, vi } from 'vitest'
import { useScheduled } from '#tests/support/conversations/scheduled.ts'
import { changeTask } from './change.ts'

const on = useScheduled()

describe('a due task', () => {
  it('runs once, and its end is stored', async () => {
    const world = await on.scheduled()
    expect(await world.tick()).toEqual({ sent: 0 })
    world.wait(60)
    const { nextRun: due } = await world.task()
    expect(await world.tick()).toEqual({ sent: 1 })
    expect(await world.task()).toMatchObject({ lastStatus: 'running', activeRun: due })
    await world.deliver()
    expect(world.asked).toHaveLength(1)
    const after = await world.task()
    expect(after).toMatchObject({ lastRun: due, lastStatus: 'ok' })
    expect(Date.parse(String(after.nextRun))).toBe(Date.parse(String(due)) + 300_000)
    expect(await world.tick()).toEqual({ sent: 0 })
  })

  it('is caught up once after hours of an outage', async () => {
    const world = await on.scheduled()
    world.wait(5 * 3600)
    expect(await world.tick()).toEqual({ sent: 1 })
    await world.deliver()
    expect(await world.tick()).toEqual({ sent: 0 })
    expect(world.asked).toHaveLength(1)
    expect(Date.parse(String((await world.task()).nextRun))).toBeGreaterThan(world.clock.now)
  })

  it('is claimed by one of many ticks', async () => {
    const world = await on.scheduled()
    world.wait(60)
    const counts = await Promise.all(Array.from({ length: 8 }, () => world.tick()))
    expect(counts.reduce((sum, { sent }) => sum + sent, 0)).toBe(1)
  })

  it('is skipped while the previous run is in progress', async () => {
    const world = await on.scheduled()
    world.wait(60)
    await world.tick()
    world.answer = async () => {
      world.wait(300)
      expect(await world.tick()).toEqual({ sent: 0 })
    }
    await world.deliver()
    expect(await world.runs()).toHaveLength(1)
    expect(world.sent).toEqual([])
  })

  it('runs after the previous run if that has not started yet', async () => {
    const world = await on.scheduled()
    world.wait(60)
    await world.tick()
    world.wait(300)
    world.sent.length = 0
    // The first run's message is lost, so it is sent again.
    expect(await world.tick()).toEqual({ sent: 1 })
    await world.deliver()
    expect(await world.runs()).toMatchObject([{ state: 'ok' }, { state: 'ok' }])
  })

  it('is not lost by a concurrent change', async () => {
    const world = await on.scheduled()
    world.wait(3600)
    const { id, nextRun: due } = await world.task()
    vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now })
    await changeTask(world.ctx, { taskId: id, cronSchedule: '0 0 1 1 *' })
    vi.useRealTimers()
    expect(await world.tick()).toEqual({ sent: 1 })
    await world.deliver()
    expect(await world.task()).toMatchObject({
      lastRun: due,
      nextRun: expect.stringMatching(/-01-01T00:00:00\.000Z$/),
    })
  })

  it('continues after a change by a machine whose clock is behind', async () => {
    const world = await on.scheduled()
    const { id, nextRun: due } = await world.task()
    world.wait(60)
    await world.tick()
    await world.deliver()
    vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now - 100 })
    await changeTask(world.ctx, { taskId: id, cronSchedule: '0-59/5 * * * *' })
    vi.useRealTimers()
    expect(await world.task()).toMatchObject({ nextRun: due })
    expect(await world.tick()).toEqual({ sent: 0 })
    world.wait(300)
    expect(await world.tick()).toEqual({ sent: 1 })
    await world.deliver()
    expect(new Set(world.asked).size).toBe(2)
  })
})

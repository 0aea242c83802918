import { describe, expect, it } from 'vitest'
import { restartAgent } from '#shared/agents/fleet/lifecycle/restart.ts'
import { startWorld } from '../../bench/scale/world.ts'

describe('a small fleet, in simulated time', () => {
  it('gives up no agent while ECS rejects each start for half an hour, and then all start', async () => {
    await using world = await startWorld(10)
    await world.pass(120)
    world.cluster.refusing = true
    const some = world.agents.slice(0, 5)
    const rowsOf = () => Promise.all(some.map(world.rowOf))
    for (const agent of await rowsOf())
      await restartAgent(world.services, { agent, reason: 'restart', by: 'operator' })
    await world.pass(30 * 60)

    for (const { status, watchdog } of await rowsOf()) {
      expect(status).toBe('provisioning')
      expect(watchdog.state).not.toBe('crash_loop')
    }

    world.cluster.refusing = false
    await world.pass(5 * 60)

    const running = { status: 'running', watchdog: { state: 'running' } }
    expect(await rowsOf()).toMatchObject(some.map(() => running))
    expect(world.dead.messages).toBe(0)
  })

  it('restarts exactly the agents that hang, and checks all in time', async () => {
    await using world = await startWorld(100)
    await world.pass(120)
    const hung = world.agents.filter((_, n) => n % 50 === 0)
    for (const { id } of hung) world.cluster.runningTask(id)!.silent = true
    await world.pass(5 * 60)

    const rows = await Promise.all(world.agents.map(world.rowOf))
    expect(rows.filter(({ status }) => status !== 'running')).toEqual([])
    const anew = rows.filter(({ generation }) => generation > 1)
    expect(anew.map(({ id }) => id)).toEqual(hung.map(({ id }) => id))
    expect(world.looks).toMatchObject({ stale: 0 })
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { StartRefused } from '#shared/platform/containers/port.ts'
import {
  crashingImage,
  type Fleet,
  otherImage,
  silentImage,
  startFleet,
} from '#tests/support/agents/fleet.ts'
import { watched } from '#tests/support/agents/watched-fleet.ts'
import { restartAgent } from '../lifecycle/restart.ts'
import { updateImage } from './update.ts'

const platforms = 'registry.example/agent:1.2.3'
const missing = 'registry.example/agent:9.9.9'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())
beforeEach(() => fleet.forget())

const isWell = ({ status, watchdog }: Agent) => status === 'running' && watchdog.state === 'running'

async function running() {
  const world = watched(fleet)
  const agent = await world.until(await fleet.started(), isWell)
  return { world, agent }
}

/** Returns the image of the running container. */
async function imageOf(agent: Agent): Promise<string> {
  return (await fleet.row(agent)).image
}

describe('an update', () => {
  it('runs the agent on another image, and keeps it', async () => {
    const { world, agent } = await running()
    const updated = await updateImage(fleet.services, { agent, image: otherImage })
    expect(updated).toMatchObject({
      status: 'provisioning',
      generation: 2,
      pinnedImage: otherImage,
    })
    const row = await world.until(agent, isWell)
    expect(row).toMatchObject({ image: otherImage, previousImage: platforms, generation: 2 })
    expect(row.trial).toBeUndefined()
    expect(await fleet.wantedTasks(agent)).toHaveLength(1)
    await restartAgent(fleet.services, { agent: row, reason: 'restart' })
    expect(await world.until(agent, isWell)).toMatchObject({ image: otherImage, generation: 3 })
    expect(world.notices).toEqual([])
  })

  it('an update without an image returns to the platform’s own', async () => {
    const { world, agent } = await running()
    await updateImage(fleet.services, { agent, image: otherImage })
    const row = await world.until(agent, isWell)
    await updateImage(fleet.services, { agent: row })
    const back = await world.until(agent, isWell)
    expect(back).toMatchObject({ image: platforms, previousImage: otherImage })
    expect(back.pinnedImage).toBeUndefined()
  })

  it.each([
    ['cannot be found', missing, /CannotPullContainerError/],
    ['crashes at its start', crashingImage, /exited with code 7/],
    ['never responds', silentImage, /./],
  ])('an update to an image that %s is rolled back, with the reason', async (_, image, cause) => {
    const { world, agent } = await running()
    await updateImage(fleet.services, { agent, image })
    const row = await world.until(agent, (now) => isWell(now) && now.image === platforms)
    expect(row.pinnedImage).toBeUndefined()
    expect(row.trial).toBeUndefined()
    expect(row.watchdog.incidents).toEqual([
      {
        at: expect.any(String),
        cause: expect.stringMatching(cause),
        step: 'healthy_image',
        attempt: 1,
        resolvedAt: expect.any(String),
      },
    ])
    await world.deliver()
    expect(world.notices.map(({ kind }) => kind)).toEqual(['repair_started', 'repaired'])
    expect(await fleet.wantedTasks(agent)).toHaveLength(1)
  })

  it('an update that ECS rejects is rolled back', async () => {
    const { world, agent } = await running()
    const { containers } = fleet.consumer
    fleet.consumer.containers = {
      ...containers,
      run: async (request) => {
        if (request.image === otherImage) throw new StartRefused('Container.image is wrong')
        return containers.run(request)
      },
    }
    try {
      await updateImage(fleet.services, { agent, image: otherImage })
      const refused = await world.until(agent, ({ stopReason }) => stopReason !== undefined)
      expect(refused).toMatchObject({
        desired: 'running',
        stopReason: { code: 'StartRefused', text: 'Container.image is wrong' },
      })
      await world.look(agent, 60)
      const row = await world.until(agent, isWell)
      expect(row.image).toBe(platforms)
      expect(row.watchdog.incidents).toMatchObject([
        { step: 'healthy_image', cause: 'Container.image is wrong' },
      ])
    } finally {
      fleet.consumer.containers = containers
    }
  })

  it('is rolled back even if repair is disabled', async () => {
    const world = watched(fleet, { WATCHDOG_AUTO_REPAIR: false })
    const agent = await world.until(await fleet.started(), isWell)
    await updateImage(fleet.services, { agent, image: crashingImage })
    const row = await world.until(agent, (now) => isWell(now) && now.image === platforms)
    expect(row.generation).toBeGreaterThan(2)
  })

  it('an update to a second bad image in a row rolls back to the last healthy one', async () => {
    const { world, agent } = await running()
    await updateImage(fleet.services, { agent, image: silentImage })
    const first = await world.until(agent, ({ image }) => image === silentImage)
    const second = await updateImage(fleet.services, { agent: first, image: crashingImage })
    expect(second.previousImage).toBe(platforms)
    const row = await world.until(agent, (now) => isWell(now) && now.generation > 3)
    expect(row).toMatchObject({ image: platforms })
    expect(row.pinnedImage).toBeUndefined()
  })

  it('an update of an agent with its own image rolls back to its own image', async () => {
    const { world, agent } = await running()
    await updateImage(fleet.services, { agent, image: otherImage })
    const pinned = await world.until(agent, isWell)
    await updateImage(fleet.services, { agent: pinned, image: crashingImage })
    const row = await world.until(agent, (now) => isWell(now) && now.generation > 3)
    expect(row).toMatchObject({ image: otherImage, pinnedImage: otherImage })
  })

  it('is kept after a person’s restart until its health is known', async () => {
    const { world, agent } = await running()
    const updated = await updateImage(fleet.services, { agent, image: crashingImage })
    await restartAgent(fleet.services, { agent: updated, reason: 'restart' })
    const row = await world.until(agent, (now) => isWell(now) && now.image === platforms)
    expect(row.trial).toBeUndefined()
  })

  it('an update of an agent that was never started rolls back to the platform’s', async () => {
    const world = watched(fleet)
    const agent = await fleet.started()
    fleet.forget()
    await updateImage(fleet.services, { agent, image: crashingImage })
    await world.until(agent, (now) => isWell(now) && now.image === platforms)
    expect(await imageOf(agent)).toBe(platforms)
  })
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { crashingImage, type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import { watched } from '#tests/support/agents/watched-fleet.ts'
import { restartAgent } from '../lifecycle/restart.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())

const isWell = ({ status, watchdog }: Agent) => status === 'running' && watchdog.state === 'running'

it('an agent whose next image fails continues with its previous image', async () => {
  const world = watched(fleet)
  const agent = await world.until(await fleet.started(), isWell)
  const before = agent.image
  fleet.consumer.config = {
    ...fleet.consumer.config,
    AGENT_IMAGE_NEXT: crashingImage,
    AGENT_IMAGE_NEXT_PERCENT: 100,
  }
  await restartAgent(fleet.services, { agent, reason: 'restart' })
  await world.until(agent, ({ image }) => image === crashingImage)
  const row = await world.until(agent, (now) => isWell(now) && now.image === before)
  expect(row.pinnedImage).toBe(before)
  expect(row.watchdog.incidents).toMatchObject([{ cause: expect.stringMatching(/exited with/) }])
  expect(await fleet.wantedTasks(agent)).toHaveLength(1)
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeConfig } from '#shared/agents/fleet/config/change.ts'
import { updateImage } from '#shared/agents/fleet/image/update.ts'
import { restartAgent } from '#shared/agents/fleet/lifecycle/restart.ts'
import { startAgent } from '#shared/agents/fleet/lifecycle/start.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { makeSubject, type Subject } from './world/agents.ts'
import { crashing, good, other } from './world/host.ts'
import { randomFrom } from './world/random.ts'
import { settle } from './world/settle.ts'
import { startWorld, type World } from './world/world.ts'

let world: World
let subject: Subject

beforeAll(async () => {
  world = await startWorld(randomFrom(1))
  await world.calm()
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(async () => {
  subject = await makeSubject(world, {})
  await startAgent(services(), { agent: await row() })
  await settle(world, [subject])
  expect(await row()).toMatchObject({ status: 'running', healthyImage: good })
})

const services = () => world.newProcess().services

async function row(): Promise<Agent> {
  const found = await readAgent(world.table, { userId: subject.userId, agentId: subject.id })
  if (found === undefined) throw new Error('the agent is gone')
  return found
}

/** Sets an image that the agent has never tried, as a release of the platform does. */
async function prescribe(pinnedImage: string): Promise<void> {
  await changeAgent(world, {
    agent: await row(),
    decide: (current) => ({ ...current, pinnedImage }),
  })
}

/** Returns the system prompt of the container. */
async function promptOf(): Promise<string | undefined> {
  const { address } = await row()
  const answer = await fetch(`http://127.0.0.1:${address?.port}/`)
  return ((await answer.json()) as { SYSTEM_PROMPT?: string }).SYSTEM_PROMPT
}

/** Returns the notices about the agent, without its name. */
const news = () =>
  world.told
    .filter(({ notice }) => notice.agentId === subject.id)
    .map(({ notice: { kind, text } }) => `${kind}: ${text}`)

describe('an agent that does not start', () => {
  it('an agent that does not start with its new config rolls back to the last healthy one, and keeps the new one stored', async () => {
    await changeConfig(services(), {
      agent: await row(),
      change: { systemPrompt: 'Be kind.' },
      apply: true,
    })
    await settle(world, [subject])
    expect([await row(), await promptOf()]).toMatchObject([{ status: 'running' }, 'Be kind.'])

    await changeConfig(services(), {
      agent: await row(),
      change: { systemPrompt: 'Crash.' },
      apply: true,
    })
    await settle(world, [subject])
    const back = await row()
    expect(back).toMatchObject({
      status: 'running',
      fallenBack: true,
      config: { systemPrompt: 'Crash.' },
      watchdog: { state: 'running' },
    })
    expect(await promptOf()).toBe('Be kind.')
    expect(back.watchdog.incidents).toMatchObject([
      { cause: 'it exited with code 9', step: 'healthy_config', attempt: 2 },
    ])
    expect(news()).toEqual([
      'repair_started: Restarting Ada: it exited with code 9.',
      // Its end and the check may happen in either order.
      expect.stringMatching(/^repair_failed: Repair 1 of Ada, a restart, failed: its? /),
      'repaired: Ada is running again with the last configuration that worked after: it exited with code 9.',
    ])

    // A manual start tries the image again, and keeps it if it works.
    await restartAgent(services(), { agent: await row(), reason: 'restart' })
    expect((await row()).fallenBack).toBeUndefined()
    await settle(world, [subject])
    expect([(await row()).fallenBack, await promptOf()]).toEqual([true, 'Be kind.'])
    await changeConfig(services(), {
      agent: await row(),
      change: { systemPrompt: 'Be brief.' },
      apply: true,
    })
    await settle(world, [subject])
    expect([(await row()).fallenBack, await promptOf()]).toEqual([undefined, 'Be brief.'])
  })

  it('an agent that does not start on the platform’s new image rolls back to the last healthy one', async () => {
    await prescribe(crashing)
    await restartAgent(services(), { agent: await row(), reason: 'restart' })
    await settle(world, [subject])
    const back = await row()
    expect(back).toMatchObject({ status: 'running', image: good, pinnedImage: good })
    expect(back.watchdog.incidents).toMatchObject([
      { cause: 'it exited with code 7', step: 'healthy_image', attempt: 2 },
    ])
    expect(news().at(-1)).toMatch(/^repaired: .*with the last image that worked/)
  })

  it('an agent that does not start with both new versions rolls back step by step', async () => {
    await prescribe(crashing)
    await changeConfig(services(), {
      agent: await row(),
      change: { systemPrompt: 'Crash.' },
      apply: true,
    })
    await settle(world, [subject])
    const back = await row()
    expect(back).toMatchObject({ status: 'running', image: good, fallenBack: true })
    expect(back.watchdog.incidents).toMatchObject([{ step: 'healthy_image', attempt: 3 }])
    expect(await promptOf()).toBeUndefined()
  })

  it('an agent that does not start after an update rolls back at once', async () => {
    await updateImage(services(), { agent: await row(), image: other })
    await settle(world, [subject])
    expect(await row()).toMatchObject({ status: 'running', image: other, healthyImage: other })

    await updateImage(services(), { agent: await row(), image: crashing })
    await settle(world, [subject])
    const back = await row()
    expect(back).toMatchObject({ status: 'running', image: other })
    expect(back.watchdog.incidents).toMatchObject([{ step: 'healthy_image', attempt: 1 }])
  })

  it('an agent that does not start on an image that no registry has reports that it cannot be fetched', async () => {
    await updateImage(services(), { agent: await row(), image: 'registry.example/missing:1' })
    await settle(world, [subject])
    const { image, watchdog } = await row()
    expect(image).toBe(good)
    expect(watchdog.incidents).toMatchObject([
      { cause: expect.stringMatching(/^its image cannot be fetched: /), step: 'healthy_image' },
    ])
  })

  it('an agent that does not start and never started before is given up', async () => {
    const fresh = await makeSubject(world, {})
    subject = fresh
    await prescribe(crashing)
    await startAgent(services(), { agent: await row() })
    await settle(world, [fresh])
    const input = await row()
    expect(input).toMatchObject({
      status: 'error',
      stopReason: { exitCode: 7 },
      watchdog: { state: 'crash_loop' },
    })
    expect(input.watchdog.incidents).toMatchObject([{ step: 'crash_loop', attempt: 2 }])
    expect(news().map((text) => text.split(':')[0])).toEqual([
      'repair_started',
      'repair_failed',
      'crash_loop',
    ])
    // The state does not change, no matter how often the watchdog checks.
    for (let n = 0; n < 3; n++) {
      await world.pass(300)
      await world.untilQuiet()
    }
    expect(await row()).toEqual(input)
  })
})

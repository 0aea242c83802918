import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { otherImage } from '#tests/support/agents/fleet.ts'
import { startWebAgents, type WebAgents, type WebCall } from '#tests/support/agents/web-agents.ts'

let web: WebAgents

beforeAll(async () => {
  web = await startWebAgents()
})
afterAll(() => web.fleet.close())
beforeEach(() => web.fleet.forget())

const verbs = ['start', 'stop', 'restart', 'update', 'repair', 'reset-memory'] as const

const tell = (agent: Pick<Agent, 'id' | 'userId'>, verb: string, given: WebCall = {}) =>
  web.call('POST', `/api/instance/${agent.id}/${verb}`, { user: String(agent.userId), ...given })

async function running(): Promise<Agent> {
  return web.fleet.untilRunning(await web.provisioned(await web.person()))
}

describe('an instance', () => {
  it('is stopped, started, restarted and repaired by its owner, in the web surface’s format', async () => {
    const agent = await running()
    expect(await tell(agent, 'start')).toEqual({
      status: 200,
      body: { success: true, status: 'running' },
    })
    expect((await tell(agent, 'restart')).body).toEqual({
      success: true,
      status: 'provisioning',
      runtimeVersion: '1.2.3',
    })
    expect(await web.fleet.untilRunning(agent)).toMatchObject({ generation: 2 })
    expect((await tell(agent, 'repair')).body).toEqual({
      success: true,
      status: 'provisioning',
      message: 'The container is being replaced by a new one',
    })
    expect(await web.fleet.untilRunning(agent)).toMatchObject({ generation: 3 })
    expect((await tell(agent, 'stop')).body).toEqual({ success: true, status: 'stopped' })
    await web.fleet.until(agent, ({ taskStatus }) => taskStatus === 'STOPPED')
    expect(await web.fleet.wantedTasks(agent)).toEqual([])
    expect((await tell(agent, 'start')).body).toEqual({ success: true, status: 'provisioning' })
    await web.fleet.untilRunning(agent)
  })

  it('is updated to another image, and without one back to the platform’s', async () => {
    const agent = await running()
    const platforms = 'registry.example/agent:1.2.3'
    expect(await tell(agent, 'update', { body: { image: otherImage } })).toEqual({
      status: 200,
      body: {
        success: true,
        status: 'provisioning',
        image: otherImage,
        previousImage: platforms,
        // The version that still runs.
        runtimeVersion: '1.2.3',
      },
    })
    expect(await web.fleet.untilRunning(agent)).toMatchObject({ image: otherImage })
    const detail = async () =>
      (await web.call('GET', `/api/agents/${agent.id}`, { user: String(agent.userId) })).body.agent
    expect(await detail()).toMatchObject({
      ownImage: { image: otherImage, changedAt: expect.any(String), changedBy: 'session' },
    })
    expect((await tell(agent, 'update')).body).toMatchObject({
      image: platforms,
      previousImage: otherImage,
      runtimeVersion: '2.0.0',
    })
    expect(await detail()).not.toHaveProperty('ownImage')
  })

  it.each(['', 'Agent', 'https://registry.example/agent', 7, null])(
    'is not updated to an image %j',
    async (image) => {
      const agent = await running()
      const { status, body } = await tell(agent, 'update', { body: { image } })
      expect([status, body]).toEqual([400, { error: expect.stringContaining('image') }])
      expect(await web.fleet.row(agent)).toEqual(agent)
    },
  )

  it('clears its memory on request', async () => {
    const agent = await running()
    const { status, body } = await tell(agent, 'reset-memory')
    expect([status, body]).toEqual([200, { success: true, message: expect.any(String) }])
  })

  it.each(verbs)('is %s only by its owner', async (verb) => {
    const agent = await running()
    const user = await web.person()
    for (const answer of [
      await tell(agent, verb, { user }),
      await tell({ id: 'agt_nobody', userId: user }, verb),
    ])
      expect(answer).toEqual({ status: 404, body: { error: 'Agent not found' } })
    expect((await web.call('POST', `/api/instance/${agent.id}/${verb}`)).status).toBe(401)
    expect(await web.fleet.row(agent)).toEqual(agent)
  })

  it.each(verbs)('is not changed by %s while provisioning is disabled', async (verb) => {
    const agent = await running()
    const { status, body } = await tell(agent, verb, { settings: { KILL_SWITCH: true } })
    expect([status, body]).toEqual([
      500,
      {
        error: expect.stringMatching(/cannot be started or stopped/) as string,
        code: 'PROVISIONING_DISABLED',
      },
    ])
    expect(await web.fleet.row(agent)).toEqual(agent)
  })
})

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Fleet, otherImage, startFleet } from '#tests/support/agents/fleet.ts'
import { untilFound } from '#tests/support/clock/eventually.ts'
import { runRequest as request } from '#tests/support/platform/run-request.ts'

describe('over the container engine', () => {
  let fleet: Fleet
  beforeAll(async () => {
    fleet = await startFleet()
  })
  afterAll(() => fleet.close())
  afterEach(() => fleet.forget())

  /** The task definition of a task, taken from its events. */
  const definitionOf = (arn: string) =>
    untilFound(() => {
      const event = fleet.events.find(({ detail }) => detail.taskArn === arn)
      return event?.detail.taskDefinitionArn
    })

  it('starts one task for one token, and finds it again', async () => {
    const { run, list, describe: look } = fleet.containers
    const first = await run(request())
    expect(await run(request())).toMatchObject({ arn: first.arn })
    expect(await list('agt_1')).toEqual([first.arn])
    expect(await list('agt_2')).toEqual([])
    expect(await look(first.arn)).toMatchObject({ arn: first.arn, generation: 1 })
  })

  it('returns the existing task of a token with other parameters', async () => {
    const { run, list } = fleet.containers
    const first = await run(request({ clientToken: 'token-2', startedBy: 'agt_3' }))
    const environment = { AGENT_GENERATION: '1', AGENT_NAME: 'renamed' }
    const again = await run(request({ clientToken: 'token-2', startedBy: 'agt_3', environment }))
    expect(again.arn).toBe(first.arn)
    expect(await list('agt_3')).toEqual([first.arn])
  })

  it('stops a task repeatedly, and reports an unknown task', async () => {
    const { run, stop, describe: look } = fleet.containers
    const { arn } = await run(request({ clientToken: 'token-4' }))
    expect(await stop(arn, 'asked')).toMatchObject({ arn })
    expect(await stop(arn, 'asked again')).toMatchObject({ arn })
    const unknown = `${arn.slice(0, -4)}0000`
    expect(await stop(unknown, 'asked')).toBeUndefined()
    expect(await look(unknown)).toBeUndefined()
  })

  it('runs a family with another image, by its own definition', async () => {
    const { run, describe: look } = fleet.containers
    const call = { image: otherImage, family: 'agent-solo' }
    const first = await run(request({ ...call, clientToken: 'token-7' }))
    const second = await run(request({ ...call, clientToken: 'token-8' }))
    await untilFound(async () => (await look(second.arn))?.health === 'HEALTHY')
    const definitions = await Promise.all([first.arn, second.arn].map(definitionOf))
    expect(definitions[0]).toMatch(/task-definition\/agent-solo-[0-9a-f]{20}:1$/)
    expect(definitions[1]).toBe(definitions[0])
    const plain = await run(request({ family: 'agent-solo', clientToken: 'token-9' }))
    expect(await definitionOf(plain.arn)).toMatch(/task-definition\/agent-solo:1$/)
  })

  it('cannot run an image that this machine does not have', async () => {
    const { run, describe: look } = fleet.containers
    const { arn } = await run(request({ clientToken: 'token-10', image: 'agent:nowhere' }))
    await untilFound(async () => (await look(arn))?.status === 'STOPPED')
    expect((await look(arn))?.stop).toMatchObject({
      code: 'TaskFailedToStart',
      exitCode: null,
      text: expect.stringContaining('CannotPullContainerError'),
    })
  })

  it('distinguishes a full cluster from an invalid request', async () => {
    fleet.room.tasks = 0
    await expect(fleet.containers.run(request({ clientToken: 'token-5' }))).rejects.toThrow(
      expect.objectContaining({ name: 'CapacityUnavailable' }),
    )
    fleet.room.tasks = Infinity
    const wrong = request({ clientToken: 'token-6', family: 'agent-gigantic' })
    await expect(fleet.containers.run(wrong)).rejects.toThrow(
      expect.objectContaining({ name: 'StartRefused' }),
    )
  })
})

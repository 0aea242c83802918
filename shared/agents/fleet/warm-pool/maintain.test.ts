import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { taskPages } from '#shared/platform/containers/all-tasks.ts'
import {
  CapacityUnavailable,
  type RunRequest,
  StartRefused,
} from '#shared/platform/containers/port.ts'
import { createLog } from '#shared/platform/log.ts'
import { type Fleet, otherImage, startFleet } from '#tests/support/agents/fleet.ts'
import { warmPool } from '#tests/support/agents/warm-pool.ts'
import { eventually, untilFound } from '#tests/support/clock/eventually.ts'
import { sweepOrphans } from '../orphans/sweep.ts'
import { applyTaskEvent } from '../tasks/apply-event.ts'
import type { TaskEvent } from '../tasks/topic.ts'
import { isReady } from './ready.ts'
import { warmRows } from './rows.ts'
import { waitingContainers } from './waiting.ts'

let fleet: Fleet
beforeAll(async () => {
  fleet = await startFleet({ settings: { WARM_CONTAINERS: 'label=1,solo=1' } })
})
afterAll(() => fleet.close())

const { waiting, untilReady, untilEmpty, statusOf } = warmPool(() => fleet)
afterEach(untilEmpty)

describe('the pool', () => {
  it('keeps its configured size under repeated checks', async () => {
    const first = await untilReady(2)
    expect(await fleet.keepWarm({ WARM_CONTAINERS: { label: 2 } })).toMatchObject({
      waiting: 2,
      started: 0,
      dropped: 0,
    })
    expect(await fleet.keepWarm({ WARM_CONTAINERS: { label: 1 } })).toMatchObject({ dropped: 1 })
    const [stored] = await waiting()
    // The oldest one is removed first.
    expect(stored?.id).toBe(first[1]?.id)
    await eventually(async () => expect(await statusOf(first[0]?.taskArn)).toBe('STOPPED'))
    expect(await statusOf(stored?.taskArn)).toBe('RUNNING')
  })

  it('is renewed for another image and after a day, and starts nothing while starts are disabled', async () => {
    const [old] = await untilReady()
    const sizes = { WARM_CONTAINERS: { label: 1 } }
    await fleet.keepWarm({ ...sizes, AGENT_IMAGE: otherImage, KILL_SWITCH: true })
    expect(await waiting()).toEqual([])
    await eventually(async () => expect(await statusOf(old?.taskArn)).toBe('STOPPED'))
    const [next] = await untilReady()
    const tomorrow = Date.now() + 25 * 3_600_000
    expect(await fleet.keepWarm({ ...sizes, KILL_SWITCH: true }, tomorrow)).toMatchObject({
      dropped: 1,
      started: 0,
    })
    await eventually(async () => expect(await statusOf(next?.taskArn)).toBe('STOPPED'))
  })

  it.each([
    ['agents get another subnet', { SUBNETS: ['subnet-1'], PUBLIC_ADDRESS: 'DISABLED' }],
    ['the backend gets another address', { BACKEND_URL: 'https://backend.example' }],
  ])('is renewed if %s, and agents get no container that waited before', async (_, changed) => {
    const [old] = await untilReady()
    const agent = await fleet.started()
    const { body } = fleet.sent.splice(0)[0]!
    const config = { ...fleet.consumer.config, ...changed }
    await fleet.consume(body, { ...fleet.consumer, config })
    expect((await fleet.row(agent)).taskArn).not.toBe(old?.taskArn)
    const sizes = { WARM_CONTAINERS: { label: 1 } }
    expect(await fleet.keepWarm({ ...sizes, ...changed, KILL_SWITCH: true })).toMatchObject({
      dropped: 1,
    })
    await eventually(async () => expect(await statusOf(old?.taskArn)).toBe('STOPPED'))
    fleet.forget()
  })

  it('restarts a container that exits by itself at most every ten minutes', async () => {
    const sizes = { WARM_CONTAINERS: { label: 1 } }
    // A container of an image that does not support waiting.
    const run = (request: RunRequest) =>
      fleet.containers.run({ ...request, environment: { AGENT_BOOTSTRAP_TOKEN: 'none' } })
    await fleet.keepWarm(sizes, undefined, { ...fleet.containers, run })
    const [broken] = await waiting()
    await eventually(async () => {
      await fleet.deliver()
      expect(await statusOf(broken?.taskArn)).toBe('STOPPED')
      expect((await waiting())[0]?.address).toBeUndefined()
    })
    expect(await fleet.keepWarm(sizes)).toMatchObject({ started: 0, dropped: 0 })
    const later = Date.now() + 11 * 60_000
    expect(await fleet.keepWarm(sizes, later)).toMatchObject({ started: 1, dropped: 1 })
  })

  it('does not replace a container that exits soon after its first request', async () => {
    const sizes = { WARM_CONTAINERS: { label: 1 } }
    const last: TaskEvent[] = []
    await fleet.keepWarm(sizes)
    const container = await untilFound(async () => {
      for (const event of fleet.events.splice(0)) {
        last.push(event)
        await applyTaskEvent(fleet.services, event)
      }
      return (await waiting()).find((one) => isReady(one, Date.now()))
    })
    // Containers of earlier tests may still send events.
    const event = last.findLast(({ detail }) => detail['taskArn'] === container.taskArn)!
    const detail = {
      ...event.detail,
      // Newer than every event that is still on its way.
      version: Number(event.detail['version']) + 100,
      lastStatus: 'STOPPED',
      desiredStatus: 'STOPPED',
      stopCode: 'EssentialContainerExited',
      stoppedAt: new Date().toISOString(),
    }
    await applyTaskEvent(fleet.services, { ...event, detail })
    expect(await fleet.keepWarm(sizes)).toMatchObject({ started: 0, dropped: 0, ready: 0 })
    const later = Date.now() + 11 * 60_000
    expect(await fleet.keepWarm(sizes, later)).toMatchObject({ started: 1, dropped: 1 })
    expect((await waiting())[0]?.id).not.toBe(container.id)
  })

  it('keeps day-old containers until their replacements are ready', async () => {
    const sizes = { WARM_CONTAINERS: { label: 2 } }
    const old = await untilReady(2)
    const createdAt = Date.now() - 25 * 3_600_000
    for (const { id } of old) await fleet.table.update(warmRows.key({ id }), { set: { createdAt } })
    expect(await fleet.keepWarm(sizes)).toMatchObject({ ready: 2, started: 2, dropped: 0 })
    await eventually(async () => {
      await fleet.deliver()
      expect(await fleet.keepWarm(sizes)).toMatchObject({ ready: 2, started: 0 })
      expect(await waiting()).toHaveLength(2)
    })
    const ids = (await waiting()).map(({ id }) => id)
    for (const { id } of old) expect(ids).not.toContain(id)
  })

  it('is kept for the other plans if one fails, which is reported at the end', async () => {
    const run = async (request: RunRequest) => {
      if (request.family === 'agent-label') throw new StartRefused('no such definition')
      return fleet.containers.run(request)
    }
    await expect(fleet.keepWarm({}, undefined, { ...fleet.containers, run })).rejects.toThrow(
      'no such definition',
    )
    expect(await waitingContainers(fleet.table, 'solo')).toMatchObject([
      { taskArn: expect.any(String) },
    ])
  })

  it('lets a container that ECS does not stop exit by itself', async () => {
    const [container] = await untilReady()
    const stop = () => Promise.reject(new CapacityUnavailable('Rate exceeded'))
    expect(
      await fleet.keepWarm({ WARM_CONTAINERS: undefined }, undefined, {
        ...fleet.containers,
        stop,
      }),
    ).toMatchObject({ dropped: 1 })
    // It would poll by itself within twenty seconds.
    await fetch(`http://127.0.0.1:${container?.address?.port}/start`, { method: 'POST' })
    await eventually(async () => expect(await statusOf(container?.taskArn)).toBe('STOPPED'))
  })

  it.each([
    ['RUNNING', 'has an address', 11],
    ['STOPPED', 'has ended', 21],
  ])(
    'replaces a container whose %s event was lost, which reports that it %s',
    async (lost, _, minutes) => {
      const sizes = { WARM_CONTAINERS: { label: 1 } }
      await fleet.keepWarm(sizes)
      const [container] = await untilFound(async () => {
        const events = fleet.events.splice(0)
        const reports = events.filter(({ detail }) => detail['lastStatus'] !== lost)
        for (const event of reports) await applyTaskEvent(fleet.services, event)
        const rows = await waiting()
        return (
          rows[0]?.by !== undefined && (lost === 'RUNNING' || rows[0].address !== undefined) && rows
        )
      })
      if (lost === 'STOPPED') {
        await fleet.containers.stop(String(container?.taskArn), 'AWS takes it back')
        await eventually(async () => expect(await statusOf(container?.taskArn)).toBe('STOPPED'))
        fleet.forget()
      }
      expect(await fleet.keepWarm(sizes)).toMatchObject({ dropped: 0, started: 0 })
      const later = Date.now() + minutes * 60_000
      expect(await fleet.keepWarm(sizes, later)).toMatchObject({ dropped: 1, started: 1 })
      expect((await waiting())[0]?.id).not.toBe(container?.id)
    },
  )

  it('has one task per row, if the process is killed at any point', async () => {
    const sizes = { WARM_CONTAINERS: { label: 1 } }
    const { containers } = fleet
    const die = async () => Promise.reject(new Error('killed'))
    const ctx = (run: (request: RunRequest) => Promise<never>) => ({ ...containers, run })
    await expect(fleet.keepWarm(sizes, undefined, ctx(die))).rejects.toThrow('killed')
    const afterwards = async (request: RunRequest) => {
      await containers.run(request)
      throw new Error('killed')
    }
    await expect(fleet.keepWarm(sizes, undefined, ctx(afterwards))).rejects.toThrow('killed')
    expect(await waiting()).toHaveLength(1)
    const [container] = await untilReady()
    expect(await containers.list(String(container?.id))).toEqual([container?.taskArn])
    expect(await waiting()).toHaveLength(1)
  })

  it('continues with other plans if one has no room, and is filled later', async () => {
    fleet.room.tasks = 0
    expect(await fleet.keepWarm()).toMatchObject({ started: 0 })
    fleet.room.tasks = Infinity
    expect(await fleet.keepWarm()).toMatchObject({ waiting: 2, started: 2 })
  })

  it('is ignored by the sweep, except a container without a row', async () => {
    const { services, table, queues, endpoint, containers } = fleet
    const [container] = await untilReady()
    const received = await fleet.untilRunning(await fleet.started({ sleepAfterMinutes: null }))
    await untilReady()
    const unknown = 'wrm_00000000000000000000000000'
    const { arn } = await containers.run({
      clientToken: unknown,
      startedBy: unknown,
      family: 'agent-label',
      environment: {},
      tags: {},
    })
    const sweepAt = (hours: number) =>
      sweepOrphans(
        { ...services, table, queues, tasks: taskPages('fleet', endpoint), log: createLog() },
        Date.now() + hours * 3_600_000,
      )
    await sweepAt(1)
    expect(await sweepAt(2)).toMatchObject({ orphans: 1, stopped: 1 })
    await eventually(async () => {
      await fleet.deliver()
      expect(await statusOf(arn)).toBe('STOPPED')
    })
    expect(received.taskArn).toBe(container?.taskArn)
    expect(await statusOf(received.taskArn)).toBe('RUNNING')
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunRequest } from '#shared/platform/containers/port.ts'
import { randomToken } from '#shared/platform/crypto.ts'
import { type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import { eventually, untilFound } from '#tests/support/clock/eventually.ts'
import { applyTaskEvent } from '../tasks/apply-event.ts'
import { isReady } from './ready.ts'
import { warmToken } from './token.ts'
import { waitingContainers } from './waiting.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet({ settings: { WARM_CONTAINERS: 'label=1' } })
})
afterAll(() => fleet.close())

const waiting = () => waitingContainers(fleet.table, 'label')
const untilReady = () =>
  untilFound(async () => {
    await fleet.deliver()
    return (await waiting()).find((one) => isReady(one, Date.now()))
  })
const statusOf = async (arn: string | undefined) =>
  (await fleet.containers.describe(String(arn)))?.status

describe('the request of a waiting container', () => {
  const key = () => String(fleet.consumer.config.WALLET_ENCRYPTION_KEY)
  const ask = async (
    id: string,
    { token, nonce = randomToken(32) }: { token?: string; nonce?: string } = {},
  ) => {
    const answer = await fetch(`${fleet.consumer.config.BACKEND_URL}/bootstrap/warm`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token ?? (await warmToken(key(), id))}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ warmId: id, nonce }),
    })
    return answer.status
  }

  it('gets a response only for itself', async () => {
    await fleet.keepWarm()
    const container = await untilReady()
    const { id } = container
    expect(await ask(id, { token: 'guessed' })).toBe(401)
    expect(await ask(id, { token: await warmToken(key(), 'wrm_another') })).toBe(401)
    expect(await ask('wrm_00000000000000000000000000')).toBe(401)
    expect(await ask(id, { nonce: 'short' })).toBe(400)
    // These requests have changed nothing.
    const agent = await fleet.untilRunning(await fleet.started())
    expect(agent.taskArn).toBe(container.taskArn)
    expect(await ask(id)).toBe(401)
  })

  it('the request of a waiting container by another party with its token ends the container, and no agent gets it', async () => {
    await fleet.keepWarm()
    const { id, address, taskArn } = await untilReady()
    expect(await ask(id)).toBe(401)
    expect(await waiting()).toEqual([])
    const agent = await fleet.untilRunning(await fleet.started())
    expect(agent.taskArn).not.toBe(taskArn)
    // It would poll by itself within twenty seconds, unless one of its events has ended it before.
    await fetch(`http://127.0.0.1:${address?.port}/start`, { method: 'POST' }).catch(
      () => undefined,
    )
    await eventually(async () => expect(await statusOf(taskArn)).toBe('STOPPED'))
  })

  it('the request of a waiting container after a thief’s request ends the container, and no agent gets it', async () => {
    const nonce = randomToken(32)
    const stolen = { id: '', taskArn: '' }
    const run = async (request: RunRequest) => {
      expect(await ask(request.startedBy, { nonce })).toBe(200)
      const task = await fleet.containers.run(request)
      Object.assign(stolen, { id: request.startedBy, taskArn: task.arn })
      return task
    }
    await fleet.keepWarm({}, undefined, { ...fleet.containers, run })
    await eventually(async () => expect(await statusOf(stolen.taskArn)).toBe('STOPPED'))
    // The events of its end are still in flight.
    const events = fleet.events.splice(0)
    const reports = events.filter(({ detail }) => detail['desiredStatus'] === 'RUNNING')
    expect(reports).not.toHaveLength(events.length)
    for (const event of reports) await applyTaskEvent(fleet.services, event)
    const agent = await fleet.untilRunning(await fleet.started())
    expect(agent.taskArn).not.toBe(stolen.taskArn)
    expect(await ask(stolen.id, { nonce })).toBe(401)
  })
})

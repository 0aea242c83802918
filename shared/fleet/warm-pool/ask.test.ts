import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, untilFound } from '../../../tests/support/eventually.ts'
import { type Fleet, startFleet } from '../../../tests/support/fleet.ts'
import type { RunRequest } from '../../platform/containers/port.ts'
import { randomToken } from '../../platform/crypto.ts'
import { warmToken } from './token.ts'
import { waitingContainers } from './waiting.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet({ settings: { WARM_CONTAINERS: 'label=1' } })
})
afterAll(() => fleet.close())

const waiting = () => waitingContainers(fleet.table, 'label')

describe('the question of a container', () => {
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

  it('is answered to itself alone', async () => {
    await fleet.keepWarm()
    const container = await untilFound(async () => {
      await fleet.deliver()
      return (await waiting()).find(({ by, address }) => by !== undefined && address !== undefined)
    })
    const { id } = container
    expect(await ask(id)).toBe(401)
    expect(await ask(id, { token: 'guessed' })).toBe(401)
    expect(await ask(id, { token: await warmToken(key(), 'wrm_another') })).toBe(401)
    expect(await ask('wrm_00000000000000000000000000')).toBe(401)
    expect(await ask(id, { nonce: 'short' })).toBe(400)
    // None of them has changed anything.
    const agent = await fleet.untilRunning(await fleet.started())
    expect(agent.taskArn).toBe(container.taskArn)
    expect(await ask(id)).toBe(401)
  })

  it('that a thief has asked first ends the container, and no agent gets it', async () => {
    const run = async (request: RunRequest) => {
      expect(await ask(request.startedBy)).toBe(200)
      return fleet.containers.run(request)
    }
    await fleet.keepWarm({ WARM_CONTAINERS: { label: 1 } }, undefined, {
      ...fleet.containers,
      run,
    })
    const [stolen] = await waiting()
    await eventually(async () => {
      await fleet.deliver()
      expect(await waiting()).toEqual([])
    })
    const agent = await fleet.untilRunning(await fleet.started())
    expect(agent.taskArn).not.toBe(stolen?.taskArn)
  })
})

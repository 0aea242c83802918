import { expect, it } from 'vitest'
import { snapshotBeforeUpdate } from '#shared/conversations/restore-points/on-deleted.ts'
import { otherImage } from '#tests/support/agents/fleet.ts'
import { restoreWorld } from '#tests/support/conversations/restore-world.ts'

const { world, scenes } = await restoreWorld()

/** Handles the waiting start messages, each twice, as a queue may deliver it. */
async function start(): Promise<void> {
  const { consumer, consume } = world.fleet
  const ctx = { ...consumer, beforeUpdate: snapshotBeforeUpdate(world.table, world.objects) }
  // A start can wait for the end of the container and send itself again.
  while (world.sent.length > 0)
    for (const { queue, body } of world.sent.splice(0))
      if (queue === 'provisioning') for (const _ of [1, 2]) await consume(body, ctx)
}

it('an update creates one restore point, which includes the agent’s image', async () => {
  const id = await scenes.newAgent()
  await start()
  const before = (await scenes.points(id)).length
  const after = async (verb: string, body: object) => {
    const { status } = await scenes.call('POST', `/api/instance/${id}/${verb}`, body)
    expect([verb, status]).toEqual([verb, 200])
    await start()
    return (await scenes.points(id)).length - before
  }
  expect(await after('update', { image: otherImage })).toBe(1)
  expect(await after('update', { image: otherImage })).toBe(2)
  expect(await after('update', {})).toBe(3)
  expect(await after('update', {})).toBe(4)
})

it('a restart creates no restore point', async () => {
  const id = await scenes.newAgent()
  await start()
  const before = await scenes.points(id)
  expect((await scenes.call('POST', `/api/instance/${id}/restart`, {})).status).toBe(200)
  await start()
  expect(await scenes.points(id)).toEqual(before)
})

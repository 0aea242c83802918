import { describe, expect, it } from 'vitest'
import { deleteAgent } from '#shared/agents/fleet/delete.ts'
import { askForDaily } from '#shared/conversations/restore-points/daily.ts'
import { objectOf } from '#shared/conversations/restore-points/rows.ts'
import { automaticLifetimeMs } from '#shared/conversations/restore-points/store-snapshot.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { killedAfter } from '#tests/support/conversations/restore-scenes.ts'
import { restoreWorld } from '#tests/support/conversations/restore-world.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { Killed } from '#tests/support/platform/killed-process.ts'

const { world, scenes, ada } = await restoreWorld()

describe('a deleted agent', () => {
  const remove = async (id: string) => {
    await deleteAgent(world.fleet.services, { agentId: id, owner: ada.id })
  }
  const listed = (session = ada.session) =>
    platformOver(world.call, { session }).agents.listDeleted()

  it('is listed for its owner, and is restored whole under its id', async () => {
    const id = await scenes.full()
    const before = await scenes.stateOf(id)
    await remove(id)
    const [gone] = await listed()
    expect(gone).toEqual({
      id,
      name: 'Bo',
      deletedAt: expect.any(String),
      snapshotId: expect.stringMatching(/^snp_/),
    })
    const eve = await world.newUser('eve@b.co')
    expect(await listed(eve.session)).toEqual([])
    expect((await scenes.restore(id, String(gone?.snapshotId), eve.session)).status).toBe(404)
    await world.work()
    expect((await scenes.call('GET', `/api/agents/${id}`)).status).toBe(404)
    expect((await scenes.points(id)).map((one) => one.id)).toEqual([gone?.snapshotId])
    expect((await scenes.restore(id, String(gone?.snapshotId))).status).toBe(202)
    await world.work()
    expect(await scenes.stateOf(id)).toEqual(before)
    expect(await listed()).toEqual([])
    expect((await scenes.agentOf(id)).generation).toBeGreaterThan(1)
    expect((await scenes.call('GET', '/api/agents')).body.count).toBe(1)
  })

  it('is restored during the removal of its data, after a kill between any two writes, and counts once', async () => {
    const id = await scenes.full()
    const before = await scenes.stateOf(id)
    await remove(id)
    const [gone] = await listed()
    expect((await scenes.restore(id, String(gone?.snapshotId))).status).toBe(202)
    const message = world.sent.find(({ queue }) => queue === 'restore-points')
    for (let writes = 0, killed = true; killed; writes++) {
      const { table, wasKilled } = killedAfter(world.table, writes)
      await world.work({ table }).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error
      })
      killed = wasKilled()
      if (!killed) break
      const store = userStore(world.table, ada.id)
      for (const sk of [`restore#${id}`, `deleted-agent#${id}`])
        await store
          .update(sk, { remove: ['heldUntil'], if: 'attribute_exists(pk)' })
          .catch(() => undefined)
      const body = { kind: 'delete', userId: ada.id, agentId: id }
      world.sent.push({ queue: 'provisioning', body, delaySeconds: 0 })
      if (message !== undefined) world.sent.push(message)
    }
    expect(await scenes.stateOf(id)).toEqual(before)
    const profile = await userStore(world.table, ada.id).get('profile')
    expect(profile?.agentCount).toBe(1)
  })

  it('keeps its data if a late sweep runs after the restore', async () => {
    const id = await scenes.full()
    const before = await scenes.stateOf(id)
    await remove(id)
    const [gone] = await listed()
    await world.work()
    await scenes.restore(id, String(gone?.snapshotId))
    await world.work()
    const body = { kind: 'sweep', userId: ada.id, agentId: id }
    world.sent.push({ queue: 'provisioning', body, delaySeconds: 0 })
    await world.work()
    expect(await scenes.stateOf(id)).toEqual(before)
  })

  it('is not restored above the limit of agents, nor without a subscription', async () => {
    const id = await scenes.newAgent()
    await remove(id)
    await world.work()
    const [gone] = await listed()
    for (let i = 0; i < 3; i++) await scenes.newAgent()
    const { status, body } = await scenes.restore(id, String(gone?.snapshotId))
    expect([status, body.current, body.limit]).toEqual([429, 3, 3])
    const subscription = { id: null, status: 'canceled', customerId: null }
    await userStore(world.table, ada.id).update('profile', { set: { subscription } })
    expect((await scenes.restore(id, String(gone?.snapshotId))).status).toBe(402)
    expect(world.sent).toEqual([])
  })

  it('is removed with all its restore points after seven days', async () => {
    const id = await scenes.newAgent()
    await scenes.snapshot(id)
    await remove(id)
    await world.work()
    expect(await scenes.points(id)).toHaveLength(2)
    await world.tick(Date.now() + automaticLifetimeMs + 60_000)
    expect(await scenes.points(id)).toEqual([])
    const [gone] = await listed()
    const key = objectOf({ agentId: id, id: String(gone?.snapshotId) })
    expect(await world.objects.get(key)).toBeUndefined()
    expect((await scenes.restore(id, 'snp_0')).status).toBe(404)
  })
})

describe('every day', () => {
  it('each agent gets one restore point, which expires after seven days', async () => {
    const id = await scenes.newAgent()
    const { table, queues } = world.fleet
    const ask = async () => {
      await askForDaily({ table, queues: queues as never })
      const own = world.sent.filter(({ body }) => body.agentId === id)
      await world.work()
      return own.length
    }
    expect(await ask()).toBe(1)
    const before = await scenes.points(id)
    expect(before).toHaveLength(1)
    // A second request on the same day finds it; after midnight, it creates the next day's.
    const again = await ask()
    expect((await scenes.points(id)).length).toBe(1 + again)
    await world.tick(Date.now() + automaticLifetimeMs + 60_000)
    expect(await scenes.points(id)).toEqual([])
  })
})
